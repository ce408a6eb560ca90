// SPDX-License-Identifier: MIT
// What a view asks for: running, its value, why it failed. A newer question ends the one before.
import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue';

import { ApiError } from '../api/client';
import { onEvent } from '../api/events';
import { needsToken } from '../api/token';

export interface Asked<T, A extends unknown[]> {
  value: ShallowRef<T | null>;
  error: ShallowRef<ApiError | null>;
  isRunning: Ref<boolean>;
  /** Milliseconds that the last answer took, as seen here. */
  took: Ref<number>;
  run: (...args: A) => Promise<T | null>;
  /** The last question again. */
  again: () => Promise<T | null>;
  clear: () => void;
}

export function asApiError(e: unknown): ApiError {
  return e instanceof ApiError ? e : new ApiError(-1, 'EPAGE', e instanceof Error ? e.message : String(e));
}

export function useAsync<T, A extends unknown[]>(ask: (signal: AbortSignal, ...args: A) => Promise<T>): Asked<T, A> {
  const value = shallowRef<T | null>(null);
  const error = shallowRef<ApiError | null>(null);
  const isRunning = ref(false);
  const took = ref(0);
  let last: A | null = null;
  let current: AbortController | null = null;

  async function run(...args: A): Promise<T | null> {
    current?.abort();
    const mine = (current = new AbortController());
    last = args;
    isRunning.value = true;
    const began = performance.now();
    try {
      const answer = await ask(mine.signal, ...args);
      if (current !== mine) return null;
      took.value = performance.now() - began;
      value.value = answer;
      error.value = null;
      return answer;
    } catch (e) {
      if (current !== mine || (e instanceof DOMException && e.name === 'AbortError')) return null;
      error.value = asApiError(e);
      return null;
    } finally {
      if (current === mine) isRunning.value = false;
    }
  }

  function clear(): void {
    current?.abort();
    current = last = null;
    value.value = error.value = null;
    isRunning.value = false;
  }

  const again = () => (last ? run(...last) : Promise.resolve(null));
  // Who failed for want of the server asks again once it is back; who failed for want of a token, once there is one.
  const stop = onEvent('back', () => {
    if (error.value?.isOffline) void again();
  });
  const stopWatch = watch(needsToken, (needs) => {
    if (!needs && error.value?.status === 401) void again();
  });
  onScopeDispose(() => {
    stop();
    stopWatch();
    current?.abort();
  });
  return { value, error, isRunning, took, run, again, clear };
}

/** Runs `f` once `ms` have passed without another call. */
export function debounce<A extends unknown[]>(f: (...args: A) => void, ms: number): (...args: A) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), ms);
  };
}

/**
 * Asks at once when nothing is asked. While an answer is waited for, `mostMs` at most, questions wait, and of them the newest
 * alone is asked. `drop` takes back the one that waits.
 */
export function inTurn<A extends unknown[]>(ask: (...args: A) => Promise<unknown>, mostMs: number): { ask: (...args: A) => void; drop: () => void } {
  let newest = 0;
  let isFree = true;
  let next: A | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function begin(args: A): void {
    const mine = ++newest;
    next = null;
    isFree = false;
    timer = setTimeout(goOn, mostMs);
    void ask(...args).finally(() => mine === newest && goOn());
  }
  function goOn(): void {
    clearTimeout(timer);
    isFree = true;
    if (next) begin(next);
  }
  return {
    ask: (...args) => {
      if (isFree) begin(args);
      else next = args;
    },
    drop: () => (next = null),
  };
}
