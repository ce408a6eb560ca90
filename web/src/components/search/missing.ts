// SPDX-License-Identifier: MIT
// What an answer over several projects does not hold, in sentences.
import type { Answer } from '../../api/client';
import { count, plural } from '../../composables/format';

type Several = Pick<Answer<'search_code'>, 'projects_searched' | 'projects_picked' | 'projects_left_out' | 'projects_left_out_total' | 'projects_incomplete' | 'projects_incomplete_total'>;
type Told = { project: string; reason: string };

function each(what: string, list: readonly Told[] = [], total = list.length): string[] {
  const lines = list.map((p) => `${what} ${p.project}: ${p.reason}`);
  return total > list.length ? [...lines, `and ${plural(total - list.length, 'more project')}`] : lines;
}

export function whatIsMissing(a: Several): string[] {
  const lines: string[] = [];
  const picked = a.projects_picked;
  if (picked) {
    const unknown = picked.unknown ?? 0;
    const n = `Searched ${count(a.projects_searched)} of ${plural(picked.from, 'project')}`;
    const hasAll = picked.by === 'words' && picked.matching + unknown <= (a.projects_searched ?? 0);
    lines.push(hasAll ? `${n}: no other has a word of the question in its indexed code.` : `${n}: those whose ${picked.by} fit the question best${picked.filtered_later ? ', before the filters' : ''}. To search another, choose it.`);
    if (unknown) lines.push(`Of ${plural(unknown, 'project')} it is not known yet which words ${unknown === 1 ? 'it has' : 'they have'}.`);
  }
  return [...lines, ...each('Left out', a.projects_left_out, a.projects_left_out_total), ...each('Not whole', a.projects_incomplete, a.projects_incomplete_total)];
}
