// SPDX-License-Identifier: MIT
// Room for the labels right of the nodes: within the picture, and between its columns.

export interface Labelled {
  x: number;
  y: number;
  /** Pixels right of it that its label reaches. */
  label: number;
}
export interface Box {
  x: [number, number];
  y: [number, number];
}
interface Size {
  width: number;
  height: number;
}

const EDGE_PX = 6;
const MOST_SHARE = 0.3; // of the picture's width
const TURNS = 4;

/** Pixels that a unit of the graph has where `box` fills a picture, as sigma does it. */
function scaleOf(box: Box, { width, height }: Size, padding: number, ratio: number): number {
  const w = box.x[1] - box.x[0] || 1;
  const h = box.y[1] - box.y[0] || 1;
  const [picture, graph] = [height / width, h / w];
  const isAcross = (picture < 1 && graph > 1) || (picture > 1 && graph < 1);
  const more = isAcross ? 1 : Math.min(Math.max(graph, 1 / graph), Math.max(picture, 1 / picture));
  return (more * (Math.min(width, height) - 2 * padding)) / (Math.max(w, h) * ratio);
}

/** What the picture has to show: the nodes, and right of them as much as their labels need. Null: nothing but a point. */
export function boxWithLabels(points: Iterable<Labelled>, size: Size, padding: number, ratio: number): Box | null {
  const all = [...points];
  const box: Box = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
  for (const p of all) {
    box.x = [Math.min(box.x[0], p.x), Math.max(box.x[1], p.x)];
    box.y = [Math.min(box.y[0], p.y), Math.max(box.y[1], p.y)];
  }
  const right = box.x[1];
  if (!(box.x[1] > box.x[0] || box.y[1] > box.y[0])) return null;
  for (let turn = 0; turn < TURNS; turn++) {
    const scale = scaleOf(box, size, padding, ratio);
    const middle = (box.x[0] + box.x[1]) / 2;
    let over = 0;
    for (const p of all) over = Math.max(over, size.width / 2 + (p.x - middle) * scale + p.label + EDGE_PX - size.width);
    if (over <= 0) break;
    // The middle goes half as far to the right as the edge does.
    box.x[1] = Math.min(box.x[1] + (2 * over) / scale, right + (MOST_SHARE * size.width) / scale);
  }
  return box;
}

/** Cut to `width` pixels. */
export function fitText(text: string, width: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= width) return text;
  let [least, most] = [1, text.length - 1];
  while (least < most) {
    const n = Math.ceil((least + most) / 2);
    if (widthOf(`${text.slice(0, n)}…`) <= width) least = n;
    else most = n - 1;
  }
  return `${text.slice(0, least)}…`;
}
