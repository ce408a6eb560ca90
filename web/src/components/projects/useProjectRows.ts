// SPDX-License-Identifier: MIT
// What the view of projects shows of each: the project, its counts, its remote, the job at work on it.
import { computed, onScopeDispose, type ComputedRef } from 'vue';

import { call, type Answer } from '../../api/client';
import { onEvent } from '../../api/events';
import { debounce, useAsync } from '../../composables/useAsync';
import { useCurrentProject, type Project } from '../../composables/useCurrentProject';
import { isOver, useJobs, type Job } from '../../composables/useJobs';

export type Repository = Answer<'list_repositories'>['repositories'][number];
export interface ProjectRow {
  project: Project;
  counts: Project | undefined;
  remote: Repository | undefined;
  job: Job | undefined;
}

const QUIET_MS = 400;

async function countAll(signal: AbortSignal): Promise<Map<string, Project>> {
  const all = new Map<string, Project>();
  let offset = 0;
  for (;;) {
    const page = await call('list_projects', { counts: true, offset }, signal);
    for (const p of page.projects) all.set(p.id, p);
    if (!page.next_offset || page.next_offset <= offset) return all;
    offset = page.next_offset;
  }
}

export function useProjectRows() {
  const { projects, isLoaded, error, reload } = useCurrentProject();
  const counts = useAsync(countAll);
  const remotes = useAsync((signal) => call('list_repositories', {}, signal));
  const { jobs } = useJobs();

  function refresh(): void {
    void counts.run();
    void remotes.run();
  }
  const refreshSoon = debounce(refresh, QUIET_MS);
  const stops = [
    onEvent('index', refreshSoon),
    onEvent('job', (data) => {
      if (isOver(data as Job)) refreshSoon();
    }),
  ];
  onScopeDispose(() => stops.forEach((stop) => stop()));
  refresh();

  const rows: ComputedRef<ProjectRow[]> = computed(() => {
    const byProject = new Map((remotes.value.value?.repositories ?? []).map((r) => [r.project.id, r]));
    const running = new Map<string, Job>();
    for (const job of jobs.value) if (job.project_id && !isOver(job) && (job.state === 'running' || !running.has(job.project_id))) running.set(job.project_id, job);
    return projects.value.map((project) => ({
      project,
      counts: counts.value.value?.get(project.id),
      remote: byProject.get(project.id),
      job: running.get(project.id),
    }));
  });

  async function reloadAll(): Promise<void> {
    await reload();
    refresh();
  }
  return { rows, isLoaded, error, reload: reloadAll };
}
