// SPDX-License-Identifier: MIT
// What all graphs of the view are made of, whichever question they answer.
import { parsePlace } from '../../composables/useNavigation';

export interface GraphNode {
  /** "src/a.c:12" of a symbol, the path of a file or module: the same in every answer, so that graphs can be joined. */
  id: string;
  name: string;
  /** What a picture shows of the name; all of it where there is none. */
  label?: string | undefined;
  kind: string;
  file?: string | undefined;
  line?: number | undefined;
  /** Steps from where it begins. */
  depth: number;
  layer?: number | undefined;
  module?: string | undefined;
  weight?: number | undefined; // lines of a module
  isTest?: boolean | undefined;
  cycle?: number | undefined;
  isRoot?: boolean | undefined;
  /** Calls, or of files and modules imports, of which it is not known where they lead. */
  unresolved?: number | undefined;
  /** More about it, said beside its name. */
  notes: string[];
}
export interface GraphEdge {
  from: string;
  to: string;
  kind: string;
  resolution: string;
  sites: number;
  evidence?: string | undefined;
}
export interface Note {
  text: string;
  isWarning?: boolean;
  /** Places that may be meant instead; with `isSource`, places to look at. */
  places?: { name: string; at: string }[];
  /** How many there are, when not all are in the answer. */
  all?: number | undefined;
  isSource?: boolean;
  /** Nodes of the graph that it is about. */
  nodes?: { id: string; text: string }[];
}
export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  summary: string;
  notes: Note[];
}

export const emptyGraph = (): Graph => ({ nodes: [], edges: [], summary: '', notes: [] });

export function nodeOfPlace(p: { name?: string; kind?: string; at: string }, depth: number, notes: string[] = []): GraphNode {
  const place = parsePlace(p.at);
  return { id: place.line ? `${place.file}:${place.line}` : p.at || `? ${p.name ?? ''}`, name: p.name ?? p.at, kind: p.kind ?? 'symbol', file: p.at ? place.file : undefined, line: place.line, depth, notes };
}

/** What nodes of two answers have in common when they are the same: a place and a name. */
export const placeAndName = (n: GraphNode) => `${n.file ?? ''}:${n.line ?? ''} ${n.name}`;

/**
 * Adds nodes to an empty graph and returns the node that stands for each: the one added before if place and name are the same
 * (a type and its struct, a step that is reached twice). Another name at the same place gets an id of its own.
 */
export function adderOf(graph: Graph): (node: GraphNode) => GraphNode {
  const added = new Map<string, GraphNode>();
  const ids = new Set<string>();
  return (node) => {
    const key = placeAndName(node);
    const same = added.get(key);
    if (same) return same;
    const made = ids.has(node.id) ? { ...node, id: key } : node;
    added.set(key, made);
    ids.add(made.id);
    graph.nodes.push(made);
    return made;
  };
}

/** Both, each node and edge once; what is in `base` already stays as it is, but for a `use` of which the other says more. */
export function join(base: Graph, more: Graph): Graph {
  const nodes = new Map(base.nodes.map((n) => [n.id, n]));
  for (const n of more.nodes) if (!nodes.has(n.id)) nodes.set(n.id, { ...n, isRoot: false });
  const key = (e: GraphEdge) => `${e.from}\n${e.to}\n${e.kind}`;
  const edges = new Map(base.edges.map((e) => [key(e), e]));
  for (const e of more.edges) {
    if (e.kind !== 'use') edges.delete(key({ ...e, kind: 'use' }));
    if (!edges.has(key(e))) edges.set(key(e), e);
  }
  return { ...base, nodes: [...nodes.values()], edges: [...edges.values()] };
}

export interface Links {
  out: GraphEdge[];
  in: GraphEdge[];
}
export function linksOf(graph: Graph): Map<string, Links> {
  const links = new Map<string, Links>(graph.nodes.map((n) => [n.id, { out: [], in: [] }]));
  for (const e of graph.edges) {
    links.get(e.from)?.out.push(e);
    links.get(e.to)?.in.push(e);
  }
  return links;
}
