// SPDX-License-Identifier: MIT
// The files of a project that were not parsed in full, some at a time: folder by folder, without those that have none.
import { call, type Answer } from '../../api/client';

export type Unparsed = Answer<'list_files'>['entries'][number];
type List = (args: { project: string; directory?: string; limit: number; offset: number }, signal: AbortSignal) => Promise<Pick<Answer<'list_files'>, 'entries' | 'next_offset'>>;

const ENTRIES = 1000;

/** Each call goes on where the one before ended, until it has about `page` files. */
export function walkUnparsed(project: string, page: number, list: List = (args, signal) => call('list_files', args, signal)) {
  let waiting = [{ directory: '', offset: 0 }]; // the next one last
  return async (signal: AbortSignal): Promise<{ rows: Unparsed[]; isOver: boolean }> => {
    const rows: Unparsed[] = [];
    let left = waiting;
    while (left.length && rows.length < page) {
      const { directory, offset } = left.at(-1)!;
      const answer = await list({ project, ...(directory ? { directory } : {}), limit: ENTRIES, offset }, signal);
      const found = answer.entries.filter((e) => e.has_syntax_errors);
      rows.push(...found.filter((e) => e.kind === 'file'));
      const folders = found.filter((e) => e.kind === 'folder').map((e) => ({ directory: e.path, offset: 0 }));
      left = [...left.slice(0, -1), ...(answer.next_offset ? [{ directory, offset: answer.next_offset }] : []), ...folders.reverse()];
    }
    waiting = left; // one that was broken off begins at the same place
    return { rows, isOver: !left.length };
  };
}
