// SPDX-License-Identifier: MIT
// What a check of the rules comes to. The server passes what violates no rule that is an error: warnings, and what could not be
// decided, are told apart from a code that keeps to all of them.
import type { Answer } from '../../api/client';

type Checked = Pick<Answer<'check_rules'>, 'verdict' | 'total'> & { rules: Pick<Answer<'check_rules'>['rules'][number], 'undecided'>[] };

/** Places that rules speak of and that could not be decided, such as an import that leads to no known file. */
export const undecidedIn = (rules: Checked['rules']): number => rules.reduce((sum, r) => sum + (r.undecided ?? 0), 0);

export function verdictOf(checked: Checked): { colour: 'good' | 'warn' | 'bad'; text: string } {
  if (checked.verdict === 'fail') return { colour: 'bad', text: 'Rules are violated' };
  if (checked.verdict === 'unknown') return { colour: 'warn', text: 'Not all could be checked' };
  if (checked.total) return { colour: 'warn', text: 'Warnings, but no error' };
  if (undecidedIn(checked.rules)) return { colour: 'warn', text: 'No violation found, but not all is decided' };
  return { colour: 'good', text: 'Nothing is violated' };
}
