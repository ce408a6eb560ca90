// SPDX-License-Identifier: MIT
declare module 'graphology-layout-forceatlas2/iterate' {
  /** One step, in place. */
  export default function iterate(settings: Record<string, number | boolean>, nodes: Float32Array, edges: Float32Array): void;
}
