// SPDX-License-Identifier: MIT
// Lays out a graph by forces, away from the page's own thread; tells where nodes are every now and then.
import iterate from 'graphology-layout-forceatlas2/iterate';

export interface LayoutAsked {
  id: number;
  /** Of each node: x, y, size. */
  nodes: Float32Array;
  /** Of each edge: the numbers of its nodes. */
  edges: Uint32Array;
  iterations: number;
}
export interface LayoutTold {
  id: number;
  positions: Float32Array;
  isLast: boolean;
}

// The matrices of ForceAtlas2.
const PER_NODE = 10;
const PER_EDGE = 3;
const TELL_MS = 180;
const TELL_BIG_MS = 450; // to take 5,000 positions costs the page a tenth of a second
const SLICE_MS = 40;
const BIG = 1500;

let current = 0;

addEventListener('message', (e: MessageEvent<LayoutAsked>) => {
  const { id, nodes, edges, iterations } = e.data;
  current = id;
  const n = nodes.length / 3;
  const m = edges.length / 2;
  const nodeMatrix = new Float32Array(n * PER_NODE);
  const edgeMatrix = new Float32Array(m * PER_EDGE);
  for (let i = 0; i < n; i++) {
    const at = i * PER_NODE;
    nodeMatrix[at] = nodes[i * 3]!;
    nodeMatrix[at + 1] = nodes[i * 3 + 1]!;
    nodeMatrix[at + 6] = 1;
    nodeMatrix[at + 7] = 1;
    nodeMatrix[at + 8] = nodes[i * 3 + 2]!;
  }
  for (let i = 0; i < m; i++) {
    const from = edges[i * 2]! * PER_NODE;
    const to = edges[i * 2 + 1]! * PER_NODE;
    edgeMatrix.set([from, to, 1], i * PER_EDGE);
    nodeMatrix[from + 6]!++;
    nodeMatrix[to + 6]!++;
  }
  const settings = {
    linLogMode: false, outboundAttractionDistribution: false, adjustSizes: false, edgeWeightInfluence: 1, strongGravityMode: true, gravity: 0.05,
    scalingRatio: 10, slowDown: 1 + Math.log(Math.max(n, 1)), barnesHutOptimize: n > BIG, barnesHutTheta: 0.6,
  };
  let done = 0;
  let told = performance.now();
  const tell = (isLast: boolean) => {
    const positions = new Float32Array(n * 2);
    for (let i = 0; i < n; i++) {
      positions[i * 2] = nodeMatrix[i * PER_NODE]!;
      positions[i * 2 + 1] = nodeMatrix[i * PER_NODE + 1]!;
    }
    postMessage({ id, positions, isLast } satisfies LayoutTold, { transfer: [positions.buffer] });
    told = performance.now();
  };
  const slice = () => {
    if (current !== id) return;
    const until = performance.now() + SLICE_MS;
    while (done < iterations && performance.now() < until) {
      iterate(settings, nodeMatrix, edgeMatrix);
      done++;
    }
    if (done >= iterations) return tell(true);
    if (performance.now() - told > (n > BIG ? TELL_BIG_MS : TELL_MS)) tell(false);
    setTimeout(slice); // a newer graph may have come
  };
  slice();
});
