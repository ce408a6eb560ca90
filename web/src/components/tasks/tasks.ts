// SPDX-License-Identifier: MIT
// Tasks as the board and the list share them.
import { ref } from 'vue';

import { call, type Answer, type Arguments } from '../../api/client';
import { attempt, toast } from '../../composables/useToasts';

export type Task = Answer<'list_tasks'>['tasks'][number];

const USUAL = ['need to be done', 'in-progress', 'complete'];
const PAGE = 100;
const MOST = 500; // on a board; more is found by the field

export interface Asked {
  query?: string;
  project?: string;
  branch?: string;
}

export interface Board {
  tasks: Task[];
  total: number;
  isCut: boolean;
}

const names: Record<string, string> = { 'need to be done': 'To do', 'in-progress': 'In progress', complete: 'Done' };
/** As people read it: those of a server's own settings, too. */
export const statusName = (status: string): string => names[status] ?? status.slice(0, 1).toUpperCase() + status.slice(1).replaceAll(/[-_]/g, ' ');

/** The statuses of this server: the usual ones, unless its settings name others. */
export const statuses = ref<string[]>(USUAL);

export async function loadStatuses(): Promise<void> {
  try {
    const all = await call('list_settings', {});
    const value = all.settings.find((s) => s.key === 'tasks.statuses')?.value;
    if (Array.isArray(value) && value.length) statuses.value = value.map(String);
  } catch {
    // without the right to see settings the usual ones are shown, and those that tasks have
  }
}

export async function loadTasks(asked: Asked, signal: AbortSignal): Promise<Board> {
  const tasks: Task[] = [];
  let offset = 0;
  let total = 0;
  for (;;) {
    const page = await call('list_tasks', { ...asked, limit: PAGE, offset }, signal);
    tasks.push(...page.tasks);
    total = page.total ?? tasks.length;
    if (!page.next_offset || page.next_offset <= offset || tasks.length >= MOST) return { tasks, total, isCut: Boolean(page.next_offset) };
    offset = page.next_offset;
  }
}

/** Sets a status, with a way back. */
export async function setStatus(task: Task, status: string, onDone: () => void): Promise<void> {
  const before = task.status;
  const done = await attempt('The task was not changed', () => call('update_task', { task_id: task.id, status, if_updated_at: task.updated_at }));
  onDone();
  if (!done) return;
  toast(`“${task.title}” is now under “${statusName(status)}”`, 'good', {
    label: 'Undo',
    run: async () => {
      await attempt('It could not be undone', () => call('update_task', { task_id: task.id, status: before, if_updated_at: done.updated_at }));
      onDone();
    },
  });
}

/** A task that was deleted, as a new one: its history begins anew. */
export async function makeAgain(gone: Task): Promise<void> {
  const make = (project: string | undefined) =>
    call('create_task', {
      title: gone.title,
      description: gone.description ?? undefined,
      notes: gone.notes ?? undefined,
      status: gone.status,
      planning_references: gone.planning_references,
      project,
    } as Arguments<'create_task'>);
  // Its project may be gone, too.
  const made = await attempt('It could not be made again', () => make(gone.project?.id).catch((e) => (gone.project ? make(undefined) : Promise.reject(e))));
  if (!made) return;
  for (const link of [...gone.branches.map((branch) => ({ branch })), ...gone.commits.map((commit) => ({ commit }))])
    await attempt('It is there again, without one of its links', () => call('update_task', { task_id: made.id, ...link }));
}

/** What is written of a task: only what was changed, so that two who edit one task do not undo each other. */
export function changesOf(before: Task, now: { title: string; description: string; notes: string; references: string[]; project: string }): Partial<Arguments<'update_task'>> {
  const out: Partial<Arguments<'update_task'>> = {};
  if (now.title !== before.title) out.title = now.title;
  if (now.description !== (before.description ?? '')) out.description = now.description;
  if (now.notes !== (before.notes ?? '')) out.notes = now.notes;
  if (now.references.join('\n') !== before.planning_references.join('\n')) out.planning_references = now.references as never;
  if (now.project !== (before.project?.id ?? '')) out.project = now.project;
  return out;
}
