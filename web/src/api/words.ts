// SPDX-License-Identifier: MIT
// The server's messages name arguments and tools, which agents know. Here they are said in the words of the page.

const modes: Record<string, string> = { hybrid: 'Words and meaning', semantic: 'Meaning', lexical: 'Words', symbol: 'Names', text: 'Exact text', regex: 'Pattern', similar: 'Similar code' };
/** What a message begins with: what it is about. */
const subjects: Record<string, string> = {
  search_type: 'How to search', query: 'What is searched for', directory: 'Folder', file_path: 'File', file_filter: 'Files', file_hint: 'File', language: 'Language', kind: 'Kind', at: 'Commit or branch',
  rev: 'Revision', diff: 'Revision', symbol_name: 'Symbol', symbol: 'Symbol', entry_point: 'From', to: 'To', max_depth: 'Depth', max_nodes: 'Nodes', change_description: 'The change', task_id: 'Task', module: 'Module', checkpoint_id: 'Checkpoint',
};
const sayings: [RegExp, string | ((...found: string[]) => string)][] = [
  [/\bsearch_code with search_type (\w+)/g, (_, mode = '') => `a search in the mode “${Object.hasOwn(modes, mode) ? modes[mode] : mode}”`],
  [/\bsearch_type (\w+)/g, (_, mode = '') => `the mode “${Object.hasOwn(modes, mode) ? modes[mode] : mode}”`],
  [/\bsearch_type\b/g, 'the mode'],
  [/\b(choose one|narrow) with file_hint\b/g, '$1 by its file'],
  [/\bfile_hint\b/g, 'the file of the symbol'],
  [/\bfile_filter\b/g, 'the filter “Files”'],
  [/,? or take the link away with (?:branch|commit) -\S+/g, ''],
  [/\bmax_depth\b/g, 'depth'],
  [/\bmax_nodes\b/g, 'number of nodes'],
  [/\bcontext_lines\b/g, 'lines around it'],
  [/\bindex_repository\b/g, '“Index now”'],
  [/\bcheckpoint_save\b/g, '“New checkpoint”'],
  [/\brag_setup\b/g, '“Find and write the rules”'],
  [/\brag_index\b/g, '“Index the documents”'],
  [/\b(symbol_name|file_path|change_description|entry_point|project_root|repo_path)\b/g, (name = '') => ({ symbol_name: 'the symbol', file_path: 'the file', change_description: 'the change', entry_point: 'the first symbol' })[name] ?? 'the folder'],
];

/** What is in quotes is someone's text, and stays. */
export function inWords(message: string): string {
  const begun = message.replace(/^args[:.] ?/, '').replace(/^(\w+): /, (all, name: string) => (Object.hasOwn(subjects, name) ? `${subjects[name]}: ` : all));
  return begun
    .split(/('[^']*')/)
    .map((part, i) => (i % 2 ? part : sayings.reduce((text, [what, words]) => text.replace(what, words as string), part)))
    .join('');
}

const said = ['hint', 'note', 'budget', 'budget_hint', 'incomplete'];
/** The same, for what an answer tells about itself. */
export function withWords<T>(answer: T): T {
  if (typeof answer !== 'object' || !answer) return answer;
  const o = answer as Record<string, unknown>;
  for (const name of said) if (typeof o[name] === 'string') o[name] = inWords(o[name]);
  return answer;
}
