// SPDX-License-Identifier: MIT
// What the server did in the last day, and how large the index of each project was.
import { request } from '../../api/client';

export interface Sample {
  /** Its end. */
  at: string;
  seconds: number;
  requests: number;
  errors: number;
  operations: number;
  /** Of operations; absent without any. */
  p50_ms?: number;
  p95_ms?: number;
  memory_own_bytes: number;
  memory_resident_bytes: number;
  cache_hits: number;
  cache_misses: number;
  jobs_running: number;
  jobs_queued: number;
  connections: number;
}
export interface Generation {
  generation: number;
  at: string;
  files: number;
  chunks: number;
  symbols: number;
  lines: number;
  bytes: number;
}
export interface History {
  interval_seconds: number;
  server_since: string;
  samples: Sample[];
  projects: { id: string; name: string; generations: Generation[] }[];
}

const POINTS = 240;

export const loadHistory = (seconds: number, signal: AbortSignal): Promise<History> => request('GET', `/api/v1/history?seconds=${seconds}&points=${POINTS}`, undefined, signal);
