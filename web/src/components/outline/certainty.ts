// SPDX-License-Identifier: MIT
// How sure it is that a name means what a line between two symbols says, in words for people.

export type Certainty = 'sure' | 'likely' | 'open';

const words: Record<string, [Certainty, string]> = {
  exact: ['sure', 'stated in the code'],
  scoped: ['sure', 'found in its scope'],
  imported: ['sure', 'found through imports'],
  inferred: ['likely', 'likely, by its type or name'],
  external: ['open', 'outside of the index'],
  unresolved: ['open', 'not resolved'],
};

export const certaintyOf = (resolution: string | undefined): Certainty => words[resolution ?? 'exact']?.[0] ?? 'likely';
export const certaintyText = (resolution: string | undefined): string => (resolution ? (words[resolution]?.[1] ?? resolution) : 'stated in the code');
export const certaintyClass: Record<Certainty, string> = { sure: 'good', likely: 'warn', open: 'bad' };
