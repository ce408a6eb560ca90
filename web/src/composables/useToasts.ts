// SPDX-License-Identifier: MIT
// Short words about what was done, with a way back where there is one.
import { ref } from 'vue';

import { asApiError } from './useAsync';

export interface Toast {
  id: number;
  text: string;
  kind: 'info' | 'good' | 'bad';
  action?: { label: string; run: () => unknown };
}

const STAYS_MS = 6000;
export const toasts = ref<Toast[]>([]);
let next = 1;

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

export function toast(text: string, kind: Toast['kind'] = 'info', action?: Toast['action']): number {
  const id = next++;
  toasts.value = [...toasts.value.slice(-3), { id, text, kind, action }];
  if (kind !== 'bad') setTimeout(() => dismiss(id), action ? STAYS_MS * 2 : STAYS_MS);
  return id;
}

/** Does it, and says what went wrong. */
export async function attempt<T>(what: string, f: () => Promise<T>): Promise<T | undefined> {
  try {
    return await f();
  } catch (e) {
    const error = asApiError(e);
    toast(`${what}: ${error.message}${error.hint ? ` ${error.hint}` : ''}`, 'bad');
    return undefined;
  }
}
