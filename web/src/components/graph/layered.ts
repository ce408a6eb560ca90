// SPDX-License-Identifier: MIT
// Columns: a node stands right of what leads to it. In a column, nodes are near those that they are linked with.
import { linksOf, type Graph } from './model';

export interface Position {
  x: number;
  y: number;
  /** From the left; a node may stand a little beside it. */
  column: number;
}
export type Positions = Map<string, Position>;

const SWEEPS = 6;
const ONE_ROW = 6; // nodes of a way that have room beside each other
const FREE_NODES = 100; // of so many, nodes are moved out of the way of edges
const FREE_EDGES = 300;
const FREE_TURNS = 4;
const COLUMN = 7; // as wide as so many rows are high, about
const CLEAR = 0.38; // rows between a node and the edges that it is not of
const APART = 0.75; // rows between nodes of a column
const CROWDED = 3; // as bad as so many edges: a label is hidden
const BESIDE = 0.16; // columns that a node may be moved
const MOVES = [[-1, 0], [1, 0], [0, -0.24], [0, 0.24], [-1, -0.24], [-1, 0.24], [1, -0.24], [1, 0.24], [-2, 0], [2, 0], [0, -0.8], [0, 0.8]] as const;

interface Spot {
  x: number; // in columns
  y: number; // in rows
}
/** Whether the edge from `a` to `b` runs through `v`, or so near that it seems to. */
function runsThrough(a: Spot, b: Spot, v: Spot): boolean {
  const [toX, toY] = [(b.x - a.x) * COLUMN, b.y - a.y];
  const [x, y] = [(v.x - a.x) * COLUMN, v.y - a.y];
  const t = Math.min(1, Math.max(0, (x * toX + y * toY) / (toX * toX + toY * toY || 1)));
  return (x - t * toX) ** 2 + (y - t * toY) ** 2 < CLEAR * CLEAR;
}

/** Moves nodes a little that an edge of others runs through, where that makes it better. Edges are straight. */
function makeWay(graph: Graph, spots: Map<string, Spot>): void {
  const edges = graph.edges.filter((e) => e.from !== e.to && spots.has(e.from) && spots.has(e.to));
  if (spots.size > FREE_NODES || edges.length > FREE_EDGES) return;
  const ids = [...spots.keys()];
  const own = new Map(ids.map((id) => [id, edges.filter((e) => e.from === id || e.to === id)]));
  const faults = (id: string, at: Spot, most: number): number => {
    let n = 0;
    for (const e of edges) if (e.from !== id && e.to !== id && runsThrough(spots.get(e.from)!, spots.get(e.to)!, at)) n++;
    for (const e of own.get(id)!) {
      const other = e.from === id ? e.to : e.from;
      for (const v of ids) if (v !== id && v !== other && runsThrough(at, spots.get(other)!, spots.get(v)!)) n++;
      if (n >= most) return n;
    }
    for (const v of ids) if (v !== id && Math.abs(spots.get(v)!.x - at.x) < 0.5 && Math.abs(spots.get(v)!.y - at.y) < APART) n += CROWDED;
    return n;
  };
  for (let turn = 0; turn < FREE_TURNS; turn++) {
    let isMoved = false;
    for (const id of ids) {
      const is = spots.get(id)!;
      let least = faults(id, is, Infinity);
      if (least < 0.5) continue;
      const home = { x: Math.round(is.x), y: is.y };
      for (const [x, y] of MOVES) {
        const at = { x: home.x + x * BESIDE, y: home.y + y };
        const n = faults(id, at, least);
        if (n >= least) continue;
        least = n;
        spots.set(id, at);
        isMoved = true;
      }
    }
    if (!isMoved) return;
  }
}

/** Callers of the roots get columns left of them, callees right: depths have no side. */
function columnsByDepth(graph: Graph): Map<string, number> {
  const links = linksOf(graph);
  const column = new Map<string, number>();
  const roots = graph.nodes.filter((n) => n.isRoot);
  const starts = roots.length ? roots : graph.nodes.slice(0, 1);
  for (const n of starts) column.set(n.id, 0);
  let edge = starts.map((n) => n.id);
  while (edge.length) {
    const next: string[] = [];
    for (const id of edge) {
      const c = column.get(id)!;
      const l = links.get(id)!;
      for (const e of l.out) if (c >= 0 && !column.has(e.to)) next.push((column.set(e.to, c + 1), e.to));
      for (const e of l.in) if (c <= 0 && !column.has(e.from)) next.push((column.set(e.from, c - 1), e.from));
    }
    edge = next;
  }
  // What is beside the way, such as other callers of a callee: next to what it is linked with.
  edge = [...column.keys()];
  while (edge.length) {
    const next: string[] = [];
    for (const id of edge) {
      const c = column.get(id)!;
      const l = links.get(id)!;
      for (const e of l.out) if (!column.has(e.to)) next.push((column.set(e.to, c + 1), e.to));
      for (const e of l.in) if (!column.has(e.from)) next.push((column.set(e.from, c - 1), e.from));
    }
    edge = next;
  }
  for (const n of graph.nodes) if (!column.has(n.id)) column.set(n.id, n.depth);
  return column;
}

/** `aspect` is the width of the picture to its height: it is filled. */
export function layered(graph: Graph, aspect: number): Positions {
  const hasLayers = graph.nodes.some((n) => n.layer !== undefined);
  // Layer 0 uses none of the others: it stands at the right, and arrows lead there.
  const column = hasLayers ? new Map(graph.nodes.map((n) => [n.id, -(n.layer ?? 0)])) : columnsByDepth(graph);
  const columns = new Map<number, string[]>();
  for (const n of graph.nodes) {
    const c = column.get(n.id)!;
    let list = columns.get(c);
    if (!list) columns.set(c, (list = []));
    list.push(n.id);
  }
  const order = [...columns.keys()].sort((a, b) => a - b);
  const links = linksOf(graph);
  const y = new Map<string, number>();
  const place = (list: string[]) => list.forEach((id, i) => y.set(id, i - (list.length - 1) / 2));
  for (const c of order) place(columns.get(c)!);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const c of sweep % 2 ? [...order].reverse() : order) {
      const list = columns.get(c)!;
      const wish = new Map(
        list.map((id) => {
          const l = links.get(id)!;
          const near = [...l.in.map((e) => e.from), ...l.out.map((e) => e.to)].filter((o) => column.get(o) !== c).map((o) => y.get(o) ?? 0);
          return [id, near.length ? near.reduce((a, b) => a + b, 0) / near.length : y.get(id)!] as const;
        }),
      );
      list.sort((a, b) => wish.get(a)! - wish.get(b)!);
      place(list);
    }
  }
  // A long way goes down as it goes on: in one row its names would lie on each other.
  const isWay = order.length > ONE_ROW && [...columns.values()].every((l) => l.length === 1);
  if (isWay) order.forEach((c, i) => y.set(columns.get(c)![0]!, i));
  const tallest = isWay ? order.length : Math.max(...[...columns.values()].map((l) => l.length), 1);
  const step = order.length > 1 ? (Math.max(tallest, 4) * aspect) / (order.length - 1) : 1;
  const spots = new Map<string, Spot>(graph.nodes.map((n) => [n.id, { x: order.indexOf(column.get(n.id)!), y: y.get(n.id)! }]));
  makeWay(graph, spots);
  return new Map([...spots].map(([id, at]) => [id, { x: at.x * step, y: -at.y, column: order.indexOf(column.get(id)!) }]));
}
