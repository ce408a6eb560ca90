// SPDX-License-Identifier: MIT
// What was changed in a task and not yet saved: kept for the tab, so that neither a reload nor another view loses it.
import type { changesOf } from './tasks';

export interface Edit {
  /** When the task was written last, as it was read: who changed it since is not overwritten. */
  updatedAt: string;
  changes: ReturnType<typeof changesOf>;
}

const key = (id: string): string => `ken.draft task ${id}`;

export function keepEdit(id: string, edit: Edit): void {
  try {
    if (Object.keys(edit.changes).length) sessionStorage.setItem(key(id), JSON.stringify(edit));
    else sessionStorage.removeItem(key(id));
  } catch {
    // kept until the page is left
  }
}

export function forgetEdit(id: string): void {
  try {
    sessionStorage.removeItem(key(id));
  } catch {
    // there was nothing to keep it in
  }
}

export function keptEdit(id: string): Edit | null {
  try {
    return JSON.parse(sessionStorage.getItem(key(id)) ?? 'null') as Edit | null;
  } catch {
    return null;
  }
}
