// SPDX-License-Identifier: MIT
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

/** A stream that is written to as a server does, in pieces of any size. */
function stream() {
  let put!: (text: string) => void;
  let end!: () => void;
  const body = new ReadableStream<Uint8Array>({
    start(c) {
      put = (text) => c.enqueue(new TextEncoder().encode(text));
      end = () => c.close();
    },
  });
  return { body, put, end };
}

test('events are heard in pieces, and the stream is opened again when it ends', async () => {
  const first = stream();
  const second = stream();
  const fetched = vi.fn().mockResolvedValueOnce(new Response(first.body)).mockResolvedValue(new Response(second.body));
  vi.stubGlobal('fetch', fetched);
  const { followServer, onEvent, serverStatus } = await import('../src/api/events');
  const jobs: unknown[] = [];
  onEvent('job', (j) => jobs.push(j));
  void followServer();
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(1));
  first.put(': ok\n\nevent: job\ndata: {"id"');
  first.put(': "a"}\n\nevent: nonsense\ndata: {\n\nevent: mcp:status\ndata: {"status":"running","total_requests":7}\n\n');
  await vi.waitFor(() => expect(serverStatus.value?.total_requests).toBe(7));
  expect(jobs).toEqual([{ id: 'a' }]);
  first.end();
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(2), { timeout: 4000 });
  second.put('event: job\ndata: {"id": "b"}\n\n');
  await vi.waitFor(() => expect(jobs).toHaveLength(2));
});
