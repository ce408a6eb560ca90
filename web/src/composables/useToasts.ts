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

const STAYS_MS = 4000;
const STAYS_WITH_ACTION_MS = 6000;
const STAYS_WITH_WAY_BACK_MS = 12_000;
const waysBack = ['Undo', 'Cancel'];
export const toasts = ref<Toast[]>([]);
let next = 1;

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

function isWayBack(action: Toast['action']): boolean {
  return !!action && waysBack.includes(action.label);
}

/** In another view only what went wrong, and what can be taken back, is still of interest. */
export function leaveToasts(): void {
  toasts.value = toasts.value.filter((t) => t.kind === 'bad' || isWayBack(t.action));
}

export function toast(text: string, kind: Toast['kind'] = 'info', action?: Toast['action']): number {
  const id = next++;
  toasts.value = [...toasts.value.slice(-3), { id, text, kind, action }];
  if (kind !== 'bad') setTimeout(() => dismiss(id), isWayBack(action) ? STAYS_WITH_WAY_BACK_MS : action ? STAYS_WITH_ACTION_MS : STAYS_MS);
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
