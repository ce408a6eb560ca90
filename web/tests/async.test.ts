// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest';
import { effectScope } from 'vue';

import { ApiError } from '../src/api/client';
import { useAsync } from '../src/composables/useAsync';

const scoped = <T>(f: () => T): T => effectScope().run(f)!;

test('the newest question alone is answered, and the one before is ended', async () => {
  const ends: Record<string, (v: string) => void> = {};
  const signals: AbortSignal[] = [];
  const asked = scoped(() => useAsync((signal, q: string) => new Promise<string>((resolve) => { signals.push(signal); ends[q] = resolve; })));
  const first = asked.run('a');
  const second = asked.run('b');
  ends.b!('B');
  ends.a!('A');
  expect(await first).toBeNull();
  expect(await second).toBe('B');
  expect(asked.value.value).toBe('B');
  expect(signals[0]!.aborted).toBe(true);
  expect(asked.isRunning.value).toBe(false);
});

test('what failed is told with the value that was there, and the same is asked again', async () => {
  let n = 0;
  const asked = scoped(() => useAsync(async () => {
    if (n++ === 1) throw new ApiError(503, 'EBUSY', 'not now');
    return n;
  }));
  await asked.run();
  await asked.run();
  expect(asked.error.value?.message).toBe('not now');
  expect(asked.value.value).toBe(1);
  await asked.again();
  expect(asked.error.value).toBeNull();
  expect(asked.value.value).toBe(3);
});
