// SPDX-License-Identifier: MIT
// Ways to search, as the server names them and as people read them.

export interface Mode {
  id: string;
  title: string;
  text: string;
}
export const modes: readonly Mode[] = [
  { id: 'hybrid', title: 'Words and meaning', text: 'A name, words of the code, or a sentence that says what it does' },
  { id: 'semantic', title: 'Meaning', text: 'Code that does what the sentence says, with other words, too' },
  { id: 'lexical', title: 'Words', text: 'Code with these words; parts of names count, the order does not' },
  { id: 'symbol', title: 'Names', text: 'Definitions with this name, or one like it' },
  { id: 'text', title: 'Exact text', text: 'Lines with these characters, one after another' },
  { id: 'regex', title: 'Pattern', text: 'Lines that a regular expression matches' },
  { id: 'similar', title: 'Similar code', text: 'Code that is like that at a place: src/app.py:12' },
];
/** What the server did, in these words. */
export const strategyName = (strategy: string): string => strategy.split(', ').map((part) => modes.find((m) => m.id === part)?.title.toLowerCase() ?? part).join(', ');
