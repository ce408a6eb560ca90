// SPDX-License-Identifier: MIT
// Colours code away from the page's own thread: text in, lines of pieces with classes out.
import type { LanguageFn } from 'highlight.js';
import { createLowlight } from 'lowlight';

export type Piece = [text: string, className?: string];
export type Lines = Piece[][];

const PART = 500; // lines

const grammars: Record<string, () => Promise<{ default: LanguageFn }>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  elixir: () => import('highlight.js/lib/languages/elixir'),
  go: () => import('highlight.js/lib/languages/go'),
  haskell: () => import('highlight.js/lib/languages/haskell'),
  html: () => import('highlight.js/lib/languages/xml'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};
const names: Record<string, string> = { tsx: 'typescript', jsx: 'javascript', 'c++': 'cpp', 'c#': 'csharp', c_sharp: 'csharp', toml: 'ini', vue: 'html', svelte: 'html', xml: 'html', shell: 'bash', zig: 'c' };

interface Node {
  type: string;
  value?: string;
  properties?: { className?: string[] };
  children?: Node[];
}

const lowlight = createLowlight();

function put(node: Node, className: string | undefined, lines: Lines): void {
  if (node.type === 'text') {
    const parts = node.value!.split('\n');
    parts.forEach((part, i) => {
      if (i) lines.push([]);
      if (part) lines[lines.length - 1]!.push(className ? [part, className] : [part]);
    });
    return;
  }
  const mine = node.properties?.className?.join(' ') ?? className;
  for (const child of node.children ?? []) put(child, mine, lines);
}

async function highlight(language: string, text: string): Promise<Lines | null> {
  const name = names[language] ?? language;
  const load = grammars[name];
  if (!load) return null;
  if (!lowlight.registered(name)) lowlight.register(name, (await load()).default);
  const lines: Lines = [[]];
  put(lowlight.highlight(name, text) as unknown as Node, undefined, lines);
  return lines;
}

addEventListener('message', (e: MessageEvent<{ id: number; language: string; text: string }>) => {
  const { id, language, text } = e.data;
  // In parts: to take 50,000 lines at once would hold up the page's thread.
  highlight(language.toLowerCase(), text).then(
    (lines) => {
      const n = lines?.length ?? 0;
      for (let from = 0; from < n; from += PART) postMessage({ id, from, lines: lines!.slice(from, from + PART), isLast: false });
      postMessage({ id, from: n, lines: lines ? [] : null, isLast: true });
    },
    () => postMessage({ id, from: 0, lines: null, isLast: true }),
  );
});
