// SPDX-License-Identifier: MIT
// Columns: a node stands right of what leads to it. In a column, nodes are near those that they are linked with.
import { linksOf, type Graph } from './model';

export type Positions = Map<string, { x: number; y: number }>;

const SWEEPS = 6;

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
  const tallest = Math.max(...[...columns.values()].map((l) => l.length), 1);
  const step = order.length > 1 ? (Math.max(tallest, 4) * aspect) / (order.length - 1) : 1;
  return new Map(graph.nodes.map((n) => [n.id, { x: order.indexOf(column.get(n.id)!) * step, y: -y.get(n.id)! }]));
}
