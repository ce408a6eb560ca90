// SPDX-License-Identifier: MIT
// Numbers of all projects and their sums, one answer for all who show them. The footer asks: every few seconds, and at once
// when a project came, went or was indexed.
import { computed, effectScope, onMounted, onScopeDispose, watch } from 'vue';

import { call } from '../api/client';
import { isOnline } from '../api/events';
import { needsToken } from '../api/token';
import { useAsync } from './useAsync';
import { useCurrentProject } from './useCurrentProject';

const EVERY_MS = 5000;
// It outlives the views.
const all = effectScope(true).run(() => useAsync((signal) => call('stats', { all: true }, signal)))!;

/** Asks only where nobody did. */
export function useAllStats() {
  if (!all.value.value && !all.isRunning.value) void all.run();
  return all;
}

/** For as long as the component that calls it is there. */
export function followAllStats() {
  const { projects, isLoaded } = useCurrentProject();
  const state = computed(() => (isLoaded.value ? projects.value.map((p) => `${p.id} ${p.status} ${p.indexed_at}`).join('\n') : undefined));
  const isAsked = () => !document.hidden && isOnline.value && !needsToken.value;
  // An answer that takes longer than the pause is waited for.
  const tick = () => isAsked() && !all.isRunning.value && void all.run();
  let timer: ReturnType<typeof setInterval>;
  watch(state, (_, before) => {
    if (before !== undefined && isAsked()) void all.run();
  });
  onMounted(() => {
    tick();
    timer = setInterval(tick, EVERY_MS);
  });
  onScopeDispose(() => clearInterval(timer));
  return all;
}
