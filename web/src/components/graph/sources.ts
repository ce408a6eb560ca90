// SPDX-License-Identifier: MIT
// The questions behind the graphs, and their answers as nodes and edges.
import { call, type Answer, type Arguments } from '../../api/client';
import { count, plural } from '../../composables/format';
import { adderOf, emptyGraph, join, nodeOfPlace, placeAndName, type Graph, type GraphNode, type Note } from './model';

export type Show = 'calls' | 'imports' | 'architecture' | 'path' | 'impact';
export interface Question {
  show: Show;
  project: string;
  at?: string | undefined;
  symbol: string;
  to: string;
  file: string;
  directory: string;
  /** As the map names it: its files alone, not those of modules below its folder. */
  module: string;
  direction: 'callers' | 'callees' | 'both';
  depth: number;
  most: number;
  tests: 'include' | 'exclude';
  /** A revision or range, or `uncommitted`. */
  diff: string;
  /** Of a pasted diff: "src/a.c:12" for each definition that it changes. */
  changed: string[];
}

const EXPAND_NODES = 60;
const EXPAND_FILES = 15; // of a module: more hides the others
const IMPACT_LISTED = 200;

/** "src/chunk" as "chunk" where no other ends so: what a picture has room for. */
function shorten(modules: GraphNode[]): void {
  const last = (n: GraphNode) => n.name.slice(n.name.lastIndexOf('/') + 1);
  const times = new Map<string, number>();
  for (const n of modules) times.set(last(n), (times.get(last(n)) ?? 0) + 1);
  for (const n of modules) if (times.get(last(n)) === 1) n.label = last(n);
}

/** Those with the most first. */
const withUnresolved = (nodes: GraphNode[]) =>
  nodes.filter((n) => n.unresolved).sort((a, b) => b.unresolved! - a.unresolved!).map((n) => ({ id: n.id, text: `${count(n.unresolved)} in ${n.label ?? n.name}` }));

function fromSymbolGraph(answer: Answer<'symbol_graph'>): Graph {
  const ids = new Map<string, string>();
  const what = answer.level === 'symbol' ? 'call' : 'import';
  const used = new Set<string>();
  const nodes = answer.nodes.map((n): GraphNode => {
    let id = n.line && n.file_path ? `${n.file_path}:${n.line}` : n.id;
    if (used.has(id)) id = n.id;
    used.add(id);
    ids.set(n.id, id);
    const notes: string[] = [];
    if (n.is_cut) notes.push('more leads to or from it');
    if (n.unresolved) notes.push(`${plural(n.unresolved, what)} not resolved`);
    if (n.cycle) notes.push(`in import cycle ${n.cycle}`);
    if (n.aside) notes.push(n.aside);
    if (n.files) notes.push(`${plural(n.files, 'file')} of code, ${plural(n.lines ?? 0, 'line')}${n.aside_files ? `, and ${plural(n.aside_files, 'file')} of tests, examples or other people’s code` : ''}`);
    return {
      id, name: answer.level === 'module' ? n.id : n.name, kind: n.kind, file: n.kind === 'external' || n.kind === 'module' ? undefined : n.file_path, line: n.line, depth: n.depth, layer: n.layer,
      module: n.module, weight: n.lines, isTest: n.is_test, cycle: n.cycle, isRoot: n.depth === 0 && answer.level !== 'module', unresolved: n.unresolved, notes,
    };
  });
  if (answer.level === 'module') shorten(nodes);
  const edges = answer.edges.map((e) => ({ ...e, from: ids.get(e.from) ?? e.from, to: ids.get(e.to) ?? e.to }));
  if (nodes.filter((n) => n.isRoot).length > 1) for (const n of nodes) n.isRoot = false; // of a folder all are
  const notes: Note[] = [];
  if (answer.level === 'module' && edges.length) notes.push({ text: 'By imports, in layers: a module stands left of those that it uses, and beside those that it is in a cycle with.' });
  if (answer.truncated || answer.total > nodes.length || answer.total_edges > edges.length)
    notes.push({
      text: answer.at_least
        ? `Shown are the nearest ${plural(nodes.length, 'node')} and ${plural(edges.length, 'edge')} between them; there are more.`
        : `Shown are ${count(nodes.length)} of ${plural(answer.total, 'node')} and ${count(edges.length)} of ${plural(answer.total_edges, 'edge')}; the farthest are left out.`,
      isWarning: true,
    });
  if (answer.unresolved) notes.push({ text: `${plural(answer.unresolved, what)} could not be resolved and ${answer.unresolved === 1 ? 'has' : 'have'} no edge.`, isWarning: true, nodes: withUnresolved(nodes) });
  if (answer.cycles) notes.push({ text: `${plural(answer.cycles, 'cycle')} among them.`, isWarning: true });
  for (const text of [answer.budget, answer.budget_hint, answer.hint, answer.note]) if (text) notes.push({ text });
  if (answer.others?.length) notes.push({ text: `${plural(answer.others_total ?? answer.others.length, 'other definition')} of this name:`, places: answer.others.map((o) => ({ name: o.name, at: o.at ?? '' })), all: answer.others_total });
  return { nodes, edges, summary: `${plural(nodes.length, answer.level)}, ${plural(edges.length, 'edge')}`, notes };
}

async function symbolGraph(signal: AbortSignal, q: Question, args: Partial<Arguments<'symbol_graph'>>): Promise<Graph> {
  return fromSymbolGraph(await call('symbol_graph', { project: q.project, at: q.at, tests: q.tests, ...args } as Arguments<'symbol_graph'>, signal));
}

/** What is one step around a node. */
export async function expand(signal: AbortSignal, q: Question, node: GraphNode): Promise<Graph> {
  const around = { max_depth: 1, max_nodes: EXPAND_NODES, direction: 'both' as const };
  if (node.kind === 'module') {
    const answer = await call('symbol_graph', { project: q.project, at: q.at, tests: q.tests, level: 'file', module: node.name, max_nodes: EXPAND_FILES } as Arguments<'symbol_graph'>, signal);
    const inside = fromSymbolGraph(answer);
    const left = answer.total - inside.nodes.length;
    // They stand where their module does.
    return {
      ...inside,
      nodes: inside.nodes.map((n) => ({ ...n, layer: node.layer })),
      notes: left > 0 ? [{ text: `${plural(inside.nodes.length, 'file')} of it ${inside.nodes.length === 1 ? 'is' : 'are'} shown, ${answer.at_least ? 'at least ' : ''}${count(left)} more ${left === 1 ? 'is' : 'are'} not; “Its files” shows them.`, isWarning: true }] : [],
    };
  }
  if (node.kind === 'file') return symbolGraph(signal, q, { file_path: node.file ?? node.id, ...around });
  return symbolGraph(signal, q, { symbol_name: `${node.file}:${node.line}`, ...around });
}

async function path(signal: AbortSignal, q: Question): Promise<Graph> {
  const answer = await call('trace_execution', { project: q.project, at: q.at, entry_point: q.symbol, to: q.to, file_hint: q.file || undefined }, signal);
  const graph = emptyGraph();
  graph.summary = answer.summary;
  const above: GraphNode[] = [];
  const add = adderOf(graph);
  for (const step of answer.steps) {
    const notes = step.unresolved ? [`${plural(step.unresolved, 'call')} not resolved`] : [];
    const node = add({ ...nodeOfPlace(step, step.depth, notes), layer: -step.depth, isRoot: step.depth === 0 });
    above[step.depth] = node;
    const before = step.depth ? above[step.depth - 1] : undefined;
    if (before) graph.edges.push({ from: before.id, to: node.id, kind: step.role ?? 'call', resolution: step.resolution ?? 'exact', sites: step.sites ?? 1, evidence: step.evidence });
  }
  for (const s of answer.stopped_at ?? []) graph.notes.push({ text: `The search stopped in ${s.in ?? '?'} at ${s.name ?? 'a call'}: ${s.why ?? 'not known'}.`, isWarning: true, isSource: true, places: s.call ? [{ name: '', at: s.call }] : [] });
  if (answer.other_definitions?.length) graph.notes.push({ text: 'Other definitions of the first name:', places: answer.other_definitions, all: answer.other_definitions_total });
  for (const text of [answer.hint, answer.incomplete, answer.note]) if (text) graph.notes.push({ text });
  return graph;
}

type Dependent = Answer<'query_impact'>['dependents'][number];

/** "Shown are 20 of 49 tests" of each list that is cut. */
function cutNotes(answer: Answer<'query_impact'>): Note[] {
  const lists: [number, number | undefined, string][] = [
    [answer.changed.length, answer.changed_total, 'definitions'],
    [answer.dependents.length, answer.dependents_total, 'dependents'],
    [answer.tests.length, answer.tests_total, 'tests'],
    [answer.maybe?.length ?? 0, answer.maybe_total, 'places that only say the name'],
  ];
  return lists.flatMap(([shown, all, what]) => (all && all > shown ? [{ text: `Shown are ${count(shown)} of ${count(all)} ${what}.`, isWarning: true }] : []));
}

async function oneImpact(signal: AbortSignal, q: Question, of: Partial<Arguments<'query_impact'>>): Promise<Graph> {
  const answer = await call('query_impact', { project: q.project, at: q.at, max_depth: Math.min(q.depth, 5), limit: IMPACT_LISTED, tests: q.tests, ...of } as Arguments<'query_impact'>, signal);
  const graph = emptyGraph();
  graph.summary = answer.summary;
  const add = adderOf(graph);
  const from = new Map<GraphNode, Dependent>();
  const put = (p: Dependent, isTest: boolean) => {
    const notes = [p.uses && typeof p.uses === 'string' ? `uses its ${p.uses}` : '', p.broken ? 'breaks' : ''].filter(Boolean);
    from.set(add({ ...nodeOfPlace(p, p.distance ?? 1, notes), layer: p.distance ?? 1, isTest }), p);
  };
  for (const c of answer.changed) {
    const notes = [c.change ? `changed: ${c.change}` : '', c.used_at ? `used at ${plural(c.used_at, 'place')}` : '', c.broken_at ? `breaks ${plural(c.broken_at, 'place')}` : ''].filter(Boolean);
    add({ ...nodeOfPlace(c, 0, notes), layer: 0, isRoot: true });
  }
  for (const d of answer.dependents) put(d, false);
  for (const t of answer.tests) put(t, true);
  for (const m of answer.maybe ?? []) add({ ...nodeOfPlace(m, m.distance ?? 1, ['says the name; not known whether it is meant']), layer: m.distance ?? 1 });
  // One edge each: to what it was reached through.
  const nodes = new Map(graph.nodes.map((n) => [placeAndName(n), n]));
  for (const [node, d] of from) {
    const to = d.through?.at ? nodes.get(placeAndName(nodeOfPlace({ ...d.through, at: d.through.at }, 0))) : undefined;
    if (!to || to === node) continue;
    // What tests share lies between them, and is not shown.
    const isFar = node.depth > to.depth + 1;
    graph.edges.push({ from: node.id, to: to.id, kind: isFar ? 'through what tests share' : 'use', resolution: isFar ? 'inferred' : d.through!.resolution, sites: d.sites ?? 1 });
  }
  if (answer.risk.reasons.length) graph.notes.push({ text: `Risk ${answer.risk.level}: ${answer.risk.reasons.join('; ')}.`, isWarning: answer.risk.level !== 'low' });
  graph.notes.push(...cutNotes(answer));
  for (const text of answer.not_compared ?? []) graph.notes.push({ text: `Not compared: ${text}`, isWarning: true });
  for (const text of [answer.hint, answer.note]) if (text) graph.notes.push({ text });
  if (answer.other_definitions?.length) graph.notes.push({ text: 'Other definitions of the name:', places: answer.other_definitions.map((o) => ({ name: o.name ?? o.at, at: o.at })), all: answer.other_definitions_total });
  return graph;
}

const MOST_CHANGED = 25; // definitions of a pasted diff, each of which is asked about

async function impact(signal: AbortSignal, q: Question): Promise<Graph> {
  let graph: Graph;
  if (q.changed.length) {
    const parts = await Promise.all(q.changed.slice(0, MOST_CHANGED).map((symbol) => oneImpact(signal, q, { symbol })));
    graph = parts.reduce((all, part) => {
      const both = join(all, part);
      const roots = new Set([...all.nodes, ...part.nodes].filter((n) => n.isRoot).map((n) => n.id));
      both.nodes = both.nodes.map((n) => (roots.has(n.id) ? { ...n, isRoot: true, layer: 0, depth: 0 } : n));
      both.notes = [...all.notes, ...part.notes];
      return both;
    }, emptyGraph());
    graph.summary = `${plural(q.changed.length, 'definition')} in the pasted diff, ${plural(graph.nodes.length - q.changed.length, 'dependent')}`;
    if (q.changed.length > MOST_CHANGED) graph.notes.unshift({ text: `The first ${MOST_CHANGED} of ${plural(q.changed.length, 'changed definition')} are asked about.`, isWarning: true });
  } else if (q.diff) graph = await oneImpact(signal, q, { diff: q.diff });
  else graph = await oneImpact(signal, q, q.symbol ? { symbol: q.symbol, file_hint: q.file || undefined } : { file_path: q.file });
  return graph;
}

export function isAsked(q: Question): boolean {
  if (q.show === 'calls') return Boolean(q.symbol);
  if (q.show === 'imports') return Boolean(q.file || q.directory || q.module);
  if (q.show === 'path') return Boolean(q.symbol && q.to);
  if (q.show === 'impact') return Boolean(q.symbol || q.file || q.diff || q.changed.length);
  return true;
}

export function ask(signal: AbortSignal, q: Question): Promise<Graph> {
  const around = { direction: q.direction, max_depth: q.depth, max_nodes: q.most };
  if (q.show === 'calls') return symbolGraph(signal, q, { symbol_name: q.symbol, file_hint: q.file || undefined, ...around });
  if (q.show === 'imports') return symbolGraph(signal, q, q.file ? { file_path: q.file, ...around } : { level: 'file', ...(q.module ? { module: q.module } : { directory: q.directory }), max_nodes: q.most });
  if (q.show === 'architecture') return symbolGraph(signal, q, { level: 'module', directory: q.directory || undefined, max_nodes: q.most });
  return q.show === 'path' ? path(signal, q) : impact(signal, q);
}
