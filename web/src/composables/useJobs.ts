// SPDX-License-Identifier: MIT
// Jobs of the server: asked for once, then kept as its events tell. And what starts and ends them.
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';

import { request, type ApiError, type Schemas } from '../api/client';
import { onEvent } from '../api/events';
import { needsToken } from '../api/token';
import { asApiError } from './useAsync';
import { attempt, dismiss, toast, toasts } from './useToasts';

export type Job = Schemas['Job'];
export type JobRequest = Omit<Schemas['JobRequest'], 'force'> & { force?: boolean };

const MOST = 200;
const kindNames: Record<string, string> = { index: 'Index', embed: 'Vectors', model_download: 'Model download', rules_setup: 'Rules', sync: 'Sync' };

export const jobName = (kind: string): string => kindNames[kind] ?? kind;
export const isOver = (job: Job): boolean => !['queued', 'running'].includes(job.state);

/** Asks for a job and says so, and how it ended; undefined when it was refused, which is told. */
export async function startJob(wish: JobRequest, what = jobName(wish.kind), isTold = true): Promise<Job | undefined> {
  const over = new Map<string, Job>(); // it may be, before the answer is here
  let hear = (job: Job): unknown => over.set(job.id, job);
  const stop = onEvent('job', (data) => isOver(data as Job) && hear(data as Job));
  const job = await attempt(`${what} could not be started`, () => request<Job>('POST', '/api/v1/jobs', wish));
  if (!job || !isTold) {
    stop();
    return job;
  }
  const begun = toast(`${what} begins`, 'info', { label: 'Cancel', run: () => cancelJob(job.id) });
  hear = (end) => {
    if (end.id !== job.id) return;
    stop();
    tellEnd(end, what, begun);
  };
  const end = over.get(job.id);
  if (end) hear(end);
  return job;
}

/** In place of what was said when it began. Once that is gone only what went wrong is told. */
function tellEnd(job: Job, what: string, begun: number): void {
  const isSeen = toasts.value.some((t) => t.id === begun);
  dismiss(begun);
  if (job.state === 'failed' || job.state === 'interrupted') toast(`${what} ${job.state === 'failed' ? 'failed' : 'was interrupted'}${job.error ? `: ${job.error}` : ''}`, 'bad');
  else if (isSeen) toast(`${what} is ${job.state}`, job.state === 'done' ? 'good' : 'info');
}

export async function cancelJob(id: string): Promise<void> {
  await attempt('The job could not be cancelled', () => request('DELETE', `/api/v1/jobs/${id}`));
}

/** The newest jobs, of `project` where that is given; the newest first. */
export function useJobs(project?: () => string) {
  const all = shallowRef(new Map<string, Job>());
  const error = shallowRef<ApiError | null>(null);
  const isLoaded = ref(false);
  let abort: AbortController | null = null;

  function keep(list: Job[], isAnew = false): void {
    const map = new Map(isAnew ? [] : all.value);
    for (const job of list) map.set(job.id, job);
    const newest = [...map.values()].sort((a, b) => (b.created_at ?? '').localeCompare(a.created_at ?? '')).slice(0, MOST);
    all.value = new Map(newest.map((job) => [job.id, job]));
  }

  async function reload(): Promise<void> {
    const of = project?.();
    if (of === '') return;
    abort?.abort();
    const mine = (abort = new AbortController());
    try {
      const { jobs } = await request<Schemas['JobList']>('GET', `/api/v1/jobs?limit=${MOST}${of ? `&project=${encodeURIComponent(of)}` : ''}`, undefined, mine.signal);
      keep(jobs, true);
      error.value = null;
    } catch (e) {
      if (!(e instanceof DOMException)) error.value = asApiError(e);
    } finally {
      if (abort === mine) isLoaded.value = true;
    }
  }

  const stops = [
    onEvent('job', (data) => {
      const job = data as Job;
      if (!project || job.project_id === project()) keep([job]);
    }),
    onEvent('back', () => void reload()),
  ];
  onScopeDispose(() => {
    abort?.abort();
    for (const stop of stops) stop();
  });
  watch(needsToken, (needs) => {
    if (!needs) void reload();
  });
  watch(() => project?.() ?? '', () => {
    all.value = new Map();
    void reload();
  }, { immediate: true });

  const jobs = computed(() => [...all.value.values()]);
  return { jobs, error, isLoaded, reload };
}
