// SPDX-License-Identifier: MIT
// While the page is looked at, what it shows follows the files: a question brings the index up to date, and whoever shows
// something of it is told when that made another generation.
import { onScopeDispose, watch } from 'vue';

import { call } from '../api/client';
import { tell } from '../api/events';

const LEAST_MS = 10_000;
const MOST_MS = 120_000;
const SHARE = 50; // of a folder that takes long to look through, one part in so many is spent on it

/** `project` gives its id, or nothing when there is none to follow. */
export function keepFresh(project: () => string): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isOver = false;
  const known = new Map<string, number>();

  async function ask(id: string): Promise<void> {
    isAsking = true;
    const answer = await call('list_files', { project: id, limit: 1 }).catch(() => null); // who shows something says what is wrong
    isAsking = false;
    const now = answer?.index.generation;
    if (now === undefined) return;
    const before = known.get(id);
    known.set(id, now);
    if (before !== undefined && before !== now) tell('index', { project_id: id });
  }

  async function look(): Promise<void> {
    clearTimeout(timer);
    if (isAsking) return; // which sets the timer
    const id = project();
    const began = performance.now();
    if (id && !document.hidden) await ask(id);
    if (isOver) return;
    const pause = Math.min(MOST_MS, Math.max(LEAST_MS, SHARE * (performance.now() - began)));
    timer = setTimeout(look, project() === id ? pause : 0);
  }
  const onSight = () => void look();
  addEventListener('focus', onSight);
  document.addEventListener('visibilitychange', onSight);
  watch(project, onSight, { immediate: true });
  onScopeDispose(() => {
    isOver = true;
    clearTimeout(timer);
    removeEventListener('focus', onSight);
    document.removeEventListener('visibilitychange', onSight);
  });
}
