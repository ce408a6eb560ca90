// SPDX-License-Identifier: MIT
// An answer over several projects says what it does not hold.
import { expect, test } from 'vitest';

import { whatIsMissing } from '../src/components/search/missing';

test('an answer of all projects says nothing', () => {
  expect(whatIsMissing({ projects_searched: 3 })).toEqual([]);
  expect(whatIsMissing({})).toEqual([]);
});

test('of very many projects it is said how many were asked, and by what', () => {
  const picked = { from: 10_000, matching: 4000, by: 'words and vectors' };
  expect(whatIsMissing({ projects_searched: 128, projects_picked: picked })).toEqual([
    'Searched 128 of 10,000 projects: those whose words and vectors fit the question best. To search another, choose it.',
  ]);
  expect(whatIsMissing({ projects_searched: 2, projects_picked: { from: 300, matching: 1, by: 'words', unknown: 1 } })).toEqual([
    'Searched 2 of 300 projects: no other has a word of the question in its indexed code.',
    'Of 1 project it is not known yet which words it has.',
  ]);
  expect(whatIsMissing({ projects_searched: 128, projects_picked: { ...picked, by: 'words', filtered_later: true } })[0]).toContain('best, before the filters.');
});

test('projects that were left out are named with the reason', () => {
  const one = { project: 'api', reason: 'it is not indexed yet' };
  expect(whatIsMissing({ projects_searched: 1, projects_left_out: [one], projects_left_out_total: 2, projects_incomplete: [{ project: 'web', reason: '3 files were not read' }] })).toEqual([
    'Left out api: it is not indexed yet',
    'and 1 more project',
    'Not whole web: 3 files were not read',
  ]);
});
