// SPDX-License-Identifier: MIT
// What agents ask, as it happens: the newest some hundred, those before the page was opened too as far as the server keeps them.
import { ref, shallowRef } from 'vue';

import { request } from '../../api/client';
import { onEvent } from '../../api/events';

export interface AgentCall {
  id: number;
  at: string;
  tool: string;
  client_id: number;
  /** Name and version. */
  client: string;
  transport: string;
  project?: { id: string; name: string };
  took_ms: number;
  /** Of the answer, about. */
  tokens: number;
  is_error: boolean;
  error?: string;
}
export interface AgentClient {
  id: number;
  name: string;
  version: string;
  transport: string;
  /** Version of the protocol. */
  era: string;
  /** The only one that it is served. */
  project?: string;
  is_connected: boolean;
  connected_since: string;
  last_seen: string;
  calls: number;
  errors: number;
  tokens: number;
}

const MOST = 500;
export const calls = shallowRef<AgentCall[]>([]);
export const isPaused = ref(false);
/** That came while it was paused, and are shown when it goes on. */
export const waiting = ref(0);
let held: AgentCall[] = [];
/** What there was is not shown any more, by hand. */
export const isCleared = ref(false);
let clearedAt = ''; // what was asked until then was cleared
let isFollowed = false;

const keyOf = (c: AgentCall): string => `${c.at} ${c.id}`;

/** The newest first. Calls that are known already are passed over: the list and the events overlap. */
export function takeCalls(list: AgentCall[]): void {
  // Ids begin anew with the server; with the time they are one call's alone.
  const known = new Set([...calls.value, ...held].map(keyOf));
  const fresh = list.filter((c) => c.at > clearedAt && !known.has(keyOf(c))).sort((a, b) => b.at.localeCompare(a.at) || b.id - a.id);
  if (!fresh.length) return;
  if (isPaused.value) {
    held = [...fresh, ...held].slice(0, MOST);
    waiting.value = held.length;
  } else {
    calls.value = [...fresh, ...calls.value].slice(0, MOST);
  }
}

export function setPaused(is: boolean): void {
  isPaused.value = is;
  if (is) return;
  calls.value = [...held, ...calls.value].slice(0, MOST);
  held = [];
  waiting.value = 0;
}

export function clearCalls(): void {
  isCleared.value = true;
  clearedAt = held[0]?.at ?? calls.value[0]?.at ?? clearedAt;
  held = [];
  waiting.value = 0;
  calls.value = [];
}

/** Who is connected, or was a while ago; the calls that the server keeps are taken along. */
export async function loadClients(signal?: AbortSignal): Promise<AgentClient[]> {
  const answer = await request<{ clients: AgentClient[]; calls: AgentCall[] }>('GET', '/api/v1/clients', undefined, signal);
  takeCalls(answer.calls);
  return answer.clients;
}

/** From the first time that it is called, for as long as the page is open. */
export function followCalls(): void {
  if (isFollowed) return;
  isFollowed = true;
  onEvent('mcp:request', (data) => takeCalls([data as AgentCall]));
}
