// SPDX-License-Identifier: MIT
// What one does with a project, each with what is said of it, and a way back where there is one.
import { call } from '../../api/client';
import { useCurrentProject, type Project } from '../../composables/useCurrentProject';
import { startJob } from '../../composables/useJobs';
import { attempt, toast } from '../../composables/useToasts';

export function useProjectActions() {
  const { reload } = useCurrentProject();

  /** Of a clone of a remote, too: a sync fetches, then indexes. */
  async function indexNow(p: Project, isRemote = false, force = false): Promise<void> {
    await startJob({ kind: isRemote ? 'sync' : 'index', project: p.id, force }, `${isRemote ? 'Sync' : 'Index'} of ${p.name}`);
  }

  async function choose(p: Project): Promise<void> {
    if (!(await attempt(`${p.name} could not be selected`, () => call('select_project', { project: p.id })))) return;
    await reload();
    toast(`${p.name} is the selected project`, 'good');
  }

  async function setArchived(p: Project, isArchived: boolean, canUndo = true): Promise<void> {
    const done = await attempt(`${p.name} could not be ${isArchived ? 'archived' : 'taken up again'}`, () => call('archive_project', { project: p.id, undo: !isArchived }));
    if (!done) return;
    await reload();
    toast(`${p.name} is ${isArchived ? 'archived: its index stays, nothing asks it' : 'taken up again'}`, 'good', canUndo ? { label: 'Undo', run: () => setArchived(p, !isArchived, false) } : undefined);
  }

  /** True once it is gone. */
  async function remove(p: Project, isRemote: boolean): Promise<boolean> {
    const args = { project: p.id, confirm: true };
    const done = await attempt<unknown>(`${p.name} could not be deleted`, () => (isRemote ? call('remove_repository', args) : call('remove_project', args)));
    if (!done) return false;
    await reload();
    toast(`${p.name} is forgotten, its index is gone`, 'good');
    return true;
  }

  return { indexNow, choose, setArchived, remove };
}
