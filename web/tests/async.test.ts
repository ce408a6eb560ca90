// SPDX-License-Identifier: MIT
import { expect, test, vi } from 'vitest';
import { effectScope } from 'vue';

import { ApiError } from '../src/api/client';
import { inTurn, useAsync } from '../src/composables/useAsync';

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

/** Questions that are answered when the test says so. */
function slowly() {
  const asked: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (q: string) => new Promise<void>((resolve) => {
    asked.push(q);
    ends.push(resolve);
  });
  const answer = async (i: number) => {
    ends[i]!();
    await new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(resolve))));
  };
  return { asked, ask, answer };
}

test('the first key asks at once, and of those typed before its answer the last one alone', async () => {
  const { asked, ask, answer } = slowly();
  const turn = inTurn(ask, 1000);
  for (const q of ['r', 're', 'ret', 'retry']) turn.ask(q);
  expect(asked).toEqual(['r']);
  await answer(0);
  expect(asked).toEqual(['r', 'retry']);
  await answer(1);
  expect(asked).toEqual(['r', 'retry']);
  turn.ask('retry ');
  expect(asked).toEqual(['r', 'retry', 'retry ']);
});

test('a question that takes long is not waited for', async () => {
  vi.useFakeTimers();
  const { asked, ask, answer } = slowly();
  const turn = inTurn(ask, 150);
  turn.ask('.*');
  turn.ask('main');
  vi.advanceTimersByTime(149);
  expect(asked).toEqual(['.*']);
  vi.advanceTimersByTime(1);
  expect(asked).toEqual(['.*', 'main']);
  vi.useRealTimers();
  turn.ask('mains');
  await answer(0); // the first one's answer lets nobody pass before the second's
  expect(asked).toEqual(['.*', 'main']);
  await answer(1);
  expect(asked).toEqual(['.*', 'main', 'mains']);
});

test('what waits and is taken back is not asked', async () => {
  const { asked, ask, answer } = slowly();
  const turn = inTurn(ask, 1000);
  turn.ask('a');
  turn.ask('ab');
  turn.drop();
  await answer(0);
  expect(asked).toEqual(['a']);
});
