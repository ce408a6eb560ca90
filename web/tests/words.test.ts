// SPDX-License-Identifier: MIT
// What the server says to agents, as the page says it to people.
import { describe, expect, it } from 'vitest';

import { ApiError } from '../src/api/client';
import { inWords, withWords } from '../src/api/words';
import { walkUnparsed, type Unparsed } from '../src/components/indexing/unparsed';
import { piecesOf, shortRule } from '../src/components/rules/ruleText';
import { undecidedIn, verdictOf } from '../src/components/rules/verdict';
import { lineOf, passedOver, type Result } from '../src/components/search/shown';
import { hitRates, type Sample } from '../src/components/stats/history';
import { statusName } from '../src/components/tasks/tasks';

describe('messages', () => {
  it('name what the page has, not arguments', () => {
    expect(inWords("49 other definitions have this name; choose one with file_hint, such as 'src/a.c', or with a qualified name")).toBe("49 other definitions have this name; choose one by its file, such as 'src/a.c', or with a qualified name");
    expect(inWords('nothing matched; try search_type hybrid')).toBe('nothing matched; try the mode “Words and meaning”');
    expect(inWords("no definition of 'x' in this project; search_code with search_type text finds where it is used")).toBe("no definition of 'x' in this project; a search in the mode “Exact text” finds where it is used");
    expect(inWords('search_type: what is similar is found in one project; name it')).toBe('How to search: what is similar is found in one project; name it');
    expect(inWords("args.kind: 'klingon' is no kind of symbol")).toBe("Kind: 'klingon' is no kind of symbol");
  });

  it('leave what stands in quotes, and what is not about an argument', () => {
    expect(inWords("no definition of 'file_hint' is in the index")).toBe("no definition of 'file_hint' is in the index");
    expect(inWords('query: not a regular expression')).toBe('What is searched for: not a regular expression');
    expect(inWords('Could not resolve host: h')).toBe('Could not resolve host: h');
    const e = new ApiError(400, 'EINVAL', 'args: url: lacks a host', 'use file_hint');
    expect([e.raw, e.hint]).toEqual(['args: url: lacks a host', 'use the file of the symbol']);
    expect(withWords({ hint: 'try search_type text', results: [{ content: 'search_type' }] })).toEqual({ hint: 'try the mode “Exact text”', results: [{ content: 'search_type' }] });
  });
});

describe('a result', () => {
  const of = (content: string, name: string, symbols: [string, number, number][]) => ({ start_line: 37, content, symbol_name: name, symbols: symbols.map(([n, start_line, end_line]) => ({ name: n, kind: 'macro', start_line, end_line })) }) as unknown as Result;

  it('begins at the symbol that it is named for, not at another one above it', () => {
    const r = of('#define A 1\n#define B 2\n\n// Of C.\n#define C 3\n', 'C', [['A', 37, 37], ['B', 38, 38], ['C', 41, 41]]);
    expect([lineOf(r), r.start_line + passedOver(r)]).toEqual([41, 40]); // with what is said of it
  });
  it('begins where it does when nothing else is above the symbol, or only what is around it', () => {
    expect(passedOver(of('// Of f.\nint f;\n', 'f', [['f', 38, 38]]))).toBe(0);
    expect(passedOver(of('class K {\n  int f;\n}\n', 'f', [['K', 37, 39], ['f', 38, 38]]))).toBe(0);
    expect(lineOf(of('text', 'f', []))).toBe(37);
  });
});

describe('files that were not parsed in full', () => {
  const entry = (path: string, kind: 'file' | 'folder', has_syntax_errors = true) => ({ name: path, path, kind, has_syntax_errors }) as Unparsed;
  const tree: Record<string, Unparsed[]> = {
    '': [entry('a', 'folder'), entry('b', 'folder', false), entry('x.c', 'file'), entry('y.c', 'file', false)],
    a: [entry('a/in', 'folder'), entry('a/1.c', 'file')],
    'a/in': [entry('a/in/2.c', 'file')],
  };
  it('are found in pages, without looking into folders that have none', async () => {
    const asked: string[] = [];
    const walk = walkUnparsed('p', 2, async ({ directory = '', offset }) => {
      asked.push(`${directory}@${offset}`);
      const entries = tree[directory]!;
      return directory === '' && offset < 2 ? { entries: entries.slice(0, 2), next_offset: 2 } : { entries: entries.slice(offset) };
    });
    const signal = new AbortController().signal;
    const pages = [await walk(signal), await walk(signal)];
    expect(pages.map((p) => p.rows.map((r) => r.path))).toEqual([['a/1.c', 'a/in/2.c'], ['x.c']]);
    expect(pages.map((p) => p.isOver)).toEqual([false, true]);
    expect(asked).toEqual(['@0', 'a@0', 'a/in@0', '@2']);
  });
});

describe('the hit rate of caches', () => {
  it('ends with what the table says', () => {
    const samples = [[1, 1], [0, 0], [6, 2]].map(([cache_hits, cache_misses]) => ({ cache_hits, cache_misses }) as Sample);
    const { sinceStart, inStep } = hitRates(samples, [{ name: 'index', hits: 7, misses: 1 }, { name: 'graph', misses: 2 }]);
    expect(sinceStart.map((v) => v && Math.round(v))).toEqual([50, 50, 70]);
    expect(inStep).toEqual([50, null, 75]);
  });
});

describe('the columns of the board', () => {
  it('have names, those of a server of its own, too', () => {
    expect(['need to be done', 'in-progress', 'complete', 'waits-for_review'].map(statusName)).toEqual(['To do', 'In progress', 'Done', 'Waits for review']);
  });
});

const codes = (n: number) => Array.from({ length: n }, (_, i) => `\`f${i}\``);
const whole = (text: string) => piecesOf(text).flatMap((p) => p.parts).map((p) => (p.isCode ? `\`${p.text}\`` : p.text)).join('');

describe('the text of a rule', () => {
  it('is words and code', () => {
    expect(piecesOf('Use `a` or `b`.')).toEqual([{ folded: 0, parts: [{ text: 'Use ', isCode: false }, { text: 'a', isCode: true }, { text: ' or ', isCode: false }, { text: 'b', isCode: true }, { text: '.', isCode: false }] }]);
    expect(piecesOf('a ` alone')).toEqual([{ folded: 0, parts: [{ text: 'a ` alone', isCode: false }] }]);
    expect(piecesOf('')).toEqual([]);
  });

  it('has its long lists folded, each by itself, and loses nothing', () => {
    const text = `${codes(13).join(', ')} files call \`*_priv.h\`; those MUST NOT import ${codes(7).join(', ')} or \`g\`.`;
    expect(piecesOf(text).map((p) => p.folded)).toEqual([0, 10, 0, 5, 0]);
    expect(whole(text)).toBe(text);
    expect(shortRule(text)).toBe('f0, f1, f2 and 10 more files call *_priv.h; those MUST NOT import f0, f1, f2 and 5 more.');
    expect(shortRule(`Evidence: ${codes(8).map((c) => `4 of 4 ${c} files`).join(', ')} import one`)).toBe('Evidence: 4 of 4 f0 files, 4 of 4 f1 files, 4 of 4 f2 and 5 more files import one');
  });

  it('is whole where a list is short, or is none', () => {
    expect(piecesOf(codes(5).join(', ')).map((p) => p.folded)).toEqual([0]);
    expect(piecesOf(codes(8).join(' calls '))).toHaveLength(1);
  });
});

describe('the verdict', () => {
  const of = (verdict: 'pass' | 'fail' | 'unknown', total = 0, ...undecided: number[]) => verdictOf({ verdict, total, rules: undecided.map((n) => ({ undecided: n })) }).colour;
  it('is good only where nothing was found and nothing is open', () => {
    expect([of('pass'), of('pass', 0, 0, 0), of('pass', 0, 0, 3), of('pass', 2), of('unknown'), of('fail', 1)]).toEqual(['good', 'good', 'warn', 'warn', 'warn', 'bad']);
    expect(undecidedIn([{ undecided: 2 }, {}, { undecided: 1 }])).toBe(3);
  });
});
