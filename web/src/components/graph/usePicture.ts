// SPDX-License-Identifier: MIT
// The graph as a picture: sigma draws it with WebGL, a worker lays it out.
import { DirectedGraph } from 'graphology';
import Sigma from 'sigma';
import { EdgeArrowProgram, EdgeLineProgram, NodeCircleProgram, NodePointProgram } from 'sigma/rendering';

import { startWorker } from '../../api/trust';
import type { LayoutAsked, LayoutTold } from '../../workers/layout.worker';
import workerUrl from '../../workers/layout.worker?worker&url';
import { visible } from '../files/places';
import { layered, type Position } from './layered';
import type { Graph, GraphNode } from './model';
import { drawHover, drawLabel, edgeColour, LABEL_GAP, nodeColour, readPalette, tintsOf } from './palette';
import { boxWithLabels, fitText } from './room';

export interface PictureOptions {
  onClick: (id: string) => void;
  onDouble: (id: string) => void;
  onSettled: () => void;
}
type NodeLook = { x: number; y: number; size: number; color: string; /** `name`, cut where it has no more room. */ label: string; name: string; type: string; forceLabel: boolean };
type EdgeLook = { size: number; color: string; type: string };

const DOUBLE_MS = 260; // a click waits that long for a second one
const BIG_NODES = 1500;
const BIG_EDGES = 4000;
const FEW = 80; // have all their labels, where a column of them has room
const FEW_NEAR = 25;
const LABEL_PX = 15;
const LABEL_WIDTH = 50;
const LABEL_SIZE = 11.5;
const LAST_COLUMN = 0.25; // of the width, at most, for the labels right of it
const PADDING = 40;
const PADDING_FREE = 30;
const WHOLE = 1.08; // the camera's ratio that shows all
const LABEL_CHARS = 48;
const ROOT_SIZE = 9;

export function hasWebGl(): boolean {
  try {
    const context = document.createElement('canvas').getContext('webgl2');
    context?.getExtension('WEBGL_lose_context')?.loseContext(); // browsers have few of them
    return context !== null;
  } catch {
    return false;
  }
}

export function startPicture(place: HTMLElement, o: PictureOptions) {
  let palette = readPalette();
  let model: Graph = { nodes: [], edges: [], summary: '', notes: [] };
  let graph = new DirectedGraph<NodeLook, EdgeLook>();
  let selected = '';
  let hovered = '';
  let near: Set<string> | null = null;
  let inside = new Set<string>(); // files of the module that is looked at
  let worker: Worker | null = null;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const sigma = new Sigma<NodeLook, EdgeLook>(graph, place, {
    allowInvalidContainer: true,
    nodeProgramClasses: { circle: NodeCircleProgram, point: NodePointProgram },
    edgeProgramClasses: { arrow: EdgeArrowProgram, line: EdgeLineProgram },
    labelFont: palette.font,
    labelSize: LABEL_SIZE,
    labelDensity: 0.8,
    labelGridCellSize: 90,
    defaultDrawNodeLabel: drawLabel(() => palette),
    defaultDrawNodeHover: drawHover(() => palette),
    zIndex: true,
    minCameraRatio: 0.01,
    maxCameraRatio: 4,
    nodeReducer: (id, data) => {
      if (id === selected) return { ...data, highlighted: true, zIndex: 2 };
      if (near && !near.has(id)) return { ...data, color: palette.line, label: '', zIndex: 0 };
      return near ? { ...data, label: inside.has(id) ? data.name : data.label, forceLabel: near.size <= FEW_NEAR, zIndex: 1 } : data;
    },
    edgeReducer: (edge, data) => {
      if (!near) return data;
      const [from, to] = graph.extremities(edge);
      const focus = hovered || selected;
      const isShown = from === focus || to === focus || (inside.has(from) && inside.has(to));
      return isShown ? { ...data, zIndex: 1 } : { ...data, hidden: true };
    },
  });

  // The ground of a label hides edges, and no node.
  const { labels, nodes: dots } = sigma.getCanvases();
  place.insertBefore(labels!, dots!);

  const ruler = document.createElement('canvas').getContext('2d')!;
  ruler.font = `${LABEL_SIZE}px ${palette.font}`;
  const widthOf = (text: string) => ruler.measureText(text).width;

  /** Nodes and labels are within the picture. */
  function makeRoom(padding = sigma.getSetting('stagePadding')): void {
    const isBig = graph.order > BIG_NODES;
    const points = graph.mapNodes((_id, a) => ({ x: a.x, y: a.y, label: isBig ? 0 : a.size + LABEL_GAP + widthOf(a.label) }));
    sigma.setCustomBBox(boxWithLabels(points, { width: place.clientWidth || 1, height: place.clientHeight || 1 }, padding, WHOLE));
  }

  /** Columns that leave room for the labels of the last one; how wide the labels of each node may be. */
  function inColumns(next: Graph) {
    const at = layered(next, 1);
    const rows = new Map<number, number>();
    for (const { column } of at.values()) rows.set(column, (rows.get(column) ?? 0) + 1);
    const [width, height] = [Math.max(1, place.clientWidth - 2 * PADDING) / WHOLE, Math.max(1, place.clientHeight - 2 * PADDING) / WHOLE];
    const lastColumn = Math.max(...rows.keys());
    const last = Math.min(width * LAST_COLUMN, Math.max(0, ...next.nodes.filter((n) => at.get(n.id)!.column === lastColumn).map((n) => widthOf(labelOf(n)))));
    const across = rows.size > 1 ? (width - last) / (rows.size - 1) : width;
    const aspect = Math.max(0.2, (width - last) / height);
    for (const p of at.values()) p.x *= aspect;
    const rowsOf = new Set([...at.values()].map((p) => Math.round(p.y))).size;
    const isWay = rows.size > 1 && rowsOf === next.nodes.length && rows.size === next.nodes.length; // each has a row of its own
    const hasRoom = isWay ? place.clientHeight / rowsOf > LABEL_PX : next.nodes.length <= FEW && place.clientHeight / Math.max(1, ...rows.values()) > LABEL_PX && across > LABEL_WIDTH;
    // Up to what stands right of it: a node may be a little beside its column.
    const all = [...at.values()];
    const px = rows.size > 1 ? (width - last) / Math.max(...all.map((p) => p.x)) : 1;
    const roomOf = (p: Position) => {
      if (p.column === lastColumn) return Math.max(last, LABEL_WIDTH);
      const next = all.filter((o) => o.x > p.x && Math.abs(o.y - p.y) < 0.6).map((o) => (o.x - p.x) * px);
      return isWay ? width - p.x * px : Math.min(across, ...next) - ROOT_SIZE - 2 * LABEL_GAP;
    };
    return { at, hasRoom, roomOf };
  }
  const labelOf = (n: GraphNode) => visible((n.label ?? n.name).slice(0, LABEL_CHARS));

  const sizeOf = (n: GraphNode, degree: number) => {
    if (n.isRoot) return ROOT_SIZE;
    if (n.kind === 'module' || n.kind === 'file') return Math.min(14, 3 + Math.log2(1 + (n.weight ?? 100) / 100));
    return Math.min(8, 3 + Math.sqrt(degree) * 0.6);
  };

  /** What is lit when a node is looked at: what it is linked with, and of a module its files. */
  function lightUp(id: string): void {
    const isModule = model.nodes.some((n) => n.id === id && n.kind === 'module');
    inside = new Set(isModule ? model.nodes.filter((n) => n.kind === 'file' && (n.module || '.') === id).map((n) => n.id) : []);
    near = id ? new Set([id, ...(inside.size ? inside : graph.neighbors(id))]) : null;
  }
  function focus(): void {
    lightUp(graph.hasNode(hovered) ? hovered : graph.hasNode(selected) ? selected : '');
    sigma.refresh({ skipIndexation: true });
  }

  /** A new graph; nodes that were there before stay where they are. */
  function show(next: Graph, layout: 'force' | 'layers', isNew: boolean): void {
    const before = graph;
    model = next;
    graph = new DirectedGraph<NodeLook, EdgeLook>();
    const tints = tintsOf(next.nodes);
    const isBig = next.nodes.length > BIG_NODES || next.edges.length > BIG_EDGES;
    const columns = layout === 'layers' ? inColumns(next) : null;
    const degree = new Map<string, number>();
    const friend = new Map<string, string>();
    for (const e of next.edges) {
      degree.set(e.from, (degree.get(e.from) ?? 0) + 1);
      degree.set(e.to, (degree.get(e.to) ?? 0) + 1);
      if (before.hasNode(e.from)) friend.set(e.to, e.from);
      if (before.hasNode(e.to)) friend.set(e.from, e.to);
    }
    next.nodes.forEach((n, i) => {
      const turn = i * 2.399963; // the golden angle: even, and the same each time
      const far = Math.sqrt(i + 1) * 10;
      let at: { x: number; y: number } = columns?.at.get(n.id) ?? { x: Math.cos(turn) * far, y: Math.sin(turn) * far };
      if (!columns && !isNew) {
        const own = before.hasNode(n.id) ? before.getNodeAttributes(n.id) : null;
        const by = friend.get(n.id);
        if (own) at = { x: own.x, y: own.y };
        else if (by) at = { x: before.getNodeAttribute(by, 'x') + Math.cos(turn) * 12, y: before.getNodeAttribute(by, 'y') + Math.sin(turn) * 12 };
      }
      const name = labelOf(n);
      const label = columns?.hasRoom ? fitText(name, columns.roomOf(columns.at.get(n.id)!), widthOf) : name;
      graph.addNode(n.id, { x: at.x, y: at.y, size: sizeOf(n, degree.get(n.id) ?? 0), color: nodeColour(n, tints, palette), label, name, type: isBig ? 'point' : 'circle', forceLabel: columns?.hasRoom ?? false });
    });
    for (const e of next.edges)
      if (e.from !== e.to && graph.hasNode(e.from) && graph.hasNode(e.to) && !graph.hasEdge(e.from, e.to))
        graph.addEdge(e.from, e.to, { size: isBig ? 1 : Math.min(4, 1 + Math.log2(e.sites || 1) * 0.5), color: edgeColour(e.resolution, palette), type: isBig ? 'line' : 'arrow' });
    hovered = '';
    lightUp(graph.hasNode(selected) ? selected : '');
    const padding = columns ? PADDING : PADDING_FREE;
    makeRoom(padding);
    sigma.setGraph(graph); // before anything that draws: what is drawn asks `graph`
    sigma.setSettings({ stagePadding: padding, labelRenderedSizeThreshold: next.nodes.length <= FEW ? 0 : isBig ? 7 : 5, hideEdgesOnMove: next.edges.length > BIG_EDGES, hideLabelsOnMove: isBig });
    if (isNew) sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: WHOLE, angle: 0 });
    asked++;
    if (!columns && graph.order > 1) layOut();
    else o.onSettled();
  }

  function layOut(): void {
    if (!worker) {
      worker = startWorker(workerUrl);
      worker.addEventListener('message', (e: MessageEvent<LayoutTold>) => {
        if (e.data.id !== asked) return;
        const p = e.data.positions;
        let i = 0;
        graph.updateEachNodeAttributes((_id, a) => ({ ...a, x: p[i++]!, y: p[i++]! }), { attributes: ['x', 'y'] });
        makeRoom();
        if (e.data.isLast) o.onSettled();
      });
    }
    const nodes = new Float32Array(graph.order * 3);
    const number = new Map<string, number>();
    graph.forEachNode((id, a) => {
      const i = number.size;
      number.set(id, i);
      nodes.set([a.x, a.y, a.size], i * 3);
    });
    const edges = new Uint32Array(graph.size * 2);
    let i = 0;
    graph.forEachEdge((_e, _a, from, to) => {
      edges[i++] = number.get(from)!;
      edges[i++] = number.get(to)!;
    });
    const iterations = graph.order > BIG_NODES ? 250 : 500;
    worker.postMessage({ id: asked, nodes, edges, iterations } satisfies LayoutAsked, { transfer: [nodes.buffer, edges.buffer] });
  }

  function recolour(): void {
    palette = readPalette();
    const tints = tintsOf(model.nodes);
    const nodes = new Map(model.nodes.map((n) => [n.id, n]));
    graph.updateEachNodeAttributes((id, a) => ({ ...a, color: nodeColour(nodes.get(id)!, tints, palette) }), { attributes: ['color'] });
    const edges = new Map(model.edges.map((e) => [`${e.from}\n${e.to}`, e]));
    graph.updateEachEdgeAttributes((_e, a, from, to) => ({ ...a, color: edgeColour(edges.get(`${from}\n${to}`)?.resolution ?? 'exact', palette) }), { attributes: ['color'] });
    sigma.refresh();
  }

  /** Sets a node off; brings it into sight when it is not. */
  function select(id: string): void {
    if (id === selected) return;
    selected = id;
    focus();
    const data = sigma.getNodeDisplayData(id);
    if (!data) return;
    const at = sigma.framedGraphToViewport(data);
    const { width, height } = sigma.getDimensions();
    if (at.x < 20 || at.y < 20 || at.x > width - 60 || at.y > height - 20) void sigma.getCamera().animate({ x: data.x, y: data.y }, { duration: still() ? 0 : 250 });
  }

  const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
  sigma.on('clickNode', ({ node }) => {
    clearTimeout(timer);
    timer = setTimeout(() => o.onClick(node), DOUBLE_MS);
  });
  sigma.on('doubleClickNode', (e) => {
    e.preventSigmaDefault();
    clearTimeout(timer);
    o.onDouble(e.node);
  });
  sigma.on('enterNode', ({ node }) => {
    place.style.cursor = 'pointer';
    hovered = node;
    if (graph.order <= BIG_NODES) focus();
  });
  sigma.on('leaveNode', () => {
    place.style.cursor = '';
    hovered = '';
    if (graph.order <= BIG_NODES) focus();
  });
  const zoom = (by: number) => void sigma.getCamera().animate({ ratio: sigma.getCamera().ratio * by }, { duration: still() ? 0 : 150 });
  const fit = () => void sigma.getCamera().animate({ x: 0.5, y: 0.5, ratio: WHOLE }, { duration: still() ? 0 : 200 });
  const resized = new ResizeObserver(() => {
    makeRoom();
    sigma.refresh();
  });
  resized.observe(place);
  const themed = new MutationObserver(recolour);
  themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'data-contrast'] });

  function stop(): void {
    clearTimeout(timer);
    resized.disconnect();
    themed.disconnect();
    worker?.terminate();
    sigma.kill();
  }
  return { show, select, zoom, fit, stop };
}
