// SPDX-License-Identifier: MIT
// The server's stream of events: one for the page, opened again whenever it ends.
//
// EventSource cannot send a token, so the stream is read from fetch.
import { createParser } from 'eventsource-parser';
import { ref } from 'vue';

import { needsToken, token } from './token';

export interface ServerStatus {
  status: string;
  uptime_seconds: number;
  active_connections: number;
  local_clients: number;
  total_requests: number;
  requests_in_flight: number;
  sessions: number;
  calls_running: number;
  calls_waiting: number;
  jobs_running: number;
  jobs_queued: number;
  throttled: number;
}
export interface ToolState {
  name: string;
  set: string;
  is_enabled: boolean;
}

type Listener = (data: unknown) => void;

const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 10_000;
const SILENCE_MS = 15_000; // two seconds are usual between two events

export const isOnline = ref(true);
export const serverStatus = ref<ServerStatus | null>(null);
export const tools = ref<ToolState[]>([]);

const listeners = new Map<string, Set<Listener>>();

/** Calls `listener` with each event of that name; the result ends it. */
export function onEvent(name: string, listener: Listener): () => void {
  let set = listeners.get(name);
  if (!set) listeners.set(name, (set = new Set()));
  set.add(listener);
  return () => set.delete(listener);
}

export function tell(name: string, data: unknown): void {
  for (const listener of listeners.get(name) ?? []) listener(data);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function readStream(): Promise<void> {
  const abort = new AbortController();
  let watch = setTimeout(() => abort.abort(), SILENCE_MS);
  const answer = await fetch('/api/v1/events', {
    headers: token.value ? { Authorization: `Bearer ${token.value}` } : {},
    signal: abort.signal,
    cache: 'no-store',
  });
  if (answer.status === 401) needsToken.value = true;
  if (!answer.ok || !answer.body) throw new Error(`events: ${answer.status}`);
  if (!isOnline.value) tell('back', null);
  isOnline.value = true;
  const parser = createParser({
    onEvent(e) {
      try {
        tell(e.event ?? 'message', JSON.parse(e.data));
      } catch {
        // not one of ours
      }
    },
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(() => abort.abort(), SILENCE_MS);
      parser.feed(value);
    }
  } finally {
    clearTimeout(watch);
  }
}

/** Follows the server for as long as the page is open. */
export async function followServer(): Promise<never> {
  onEvent('mcp:status', (data) => (serverStatus.value = data as ServerStatus));
  onEvent('mcp:tools', (data) => (tools.value = (data as { tools: ToolState[] }).tools));
  let wait = FIRST_WAIT_MS;
  for (;;) {
    const began = performance.now();
    try {
      await readStream();
    } catch {
      isOnline.value = needsToken.value; // a refusal is an answer
    }
    wait = performance.now() - began > SILENCE_MS ? FIRST_WAIT_MS : Math.min(wait * 2, MOST_WAIT_MS);
    await sleep(needsToken.value ? FIRST_WAIT_MS : wait);
    while (needsToken.value) await sleep(FIRST_WAIT_MS);
  }
}
