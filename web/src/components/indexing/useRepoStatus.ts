// SPDX-License-Identifier: MIT
// The state of a project's index, asked again when it may have changed: after runs, when the page is looked at again.
import { onMounted, onScopeDispose, watch } from 'vue';

import { call, type Answer } from '../../api/client';
import { onEvent } from '../../api/events';
import { debounce, useAsync, type Asked } from '../../composables/useAsync';
import { isOver, type Job } from '../../composables/useJobs';

export type RepoStatus = Answer<'get_repo_status'>;

const SELDOM_MS = 30_000;
const OFTEN_MS = 1500; // while a run of another process, which sends no events, is at it
const SOON_MS = 150;

export function useRepoStatus(project: () => string): Asked<RepoStatus, [string]> {
  const status = useAsync((signal, id: string) => call('get_repo_status', { project: id }, signal));
  const ask = () => {
    if (project() && !document.hidden) void status.run(project());
  };
  const soon = debounce(ask, SOON_MS);
  watch(project, (id) => {
    status.clear();
    if (id) ask();
  }, { immediate: true });

  let timer: ReturnType<typeof setTimeout> | undefined;
  function plan(): void {
    timer = setTimeout(() => {
      ask();
      plan();
    }, status.value.value?.indexing ? OFTEN_MS : SELDOM_MS);
  }
  watch(() => !!status.value.value?.indexing, () => {
    clearTimeout(timer);
    plan();
  });
  const stops = [
    onEvent('index', (data) => {
      if ((data as { project_id: string }).project_id === project()) soon();
    }),
    onEvent('job', (data) => {
      const job = data as Job;
      if (job.project_id === project() && isOver(job)) soon();
    }),
  ];
  onMounted(() => {
    addEventListener('focus', soon);
    plan();
  });
  onScopeDispose(() => {
    clearTimeout(timer);
    removeEventListener('focus', soon);
    for (const stop of stops) stop();
  });
  return status;
}
