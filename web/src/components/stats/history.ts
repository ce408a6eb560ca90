// SPDX-License-Identifier: MIT
// What the server did in the last day, and how large the index of a project was by generation.
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
  segment_bytes: number;
  /** Of an index in a file. */
  store_bytes?: number;
  /** Absent where they were not counted. */
  languages?: { language: string; files: number; bytes: number }[];
}
export interface History {
  interval_seconds: number;
  server_since: string;
  samples: Sample[];
  /** Of the project that was asked for, the oldest first. */
  generations?: Generation[];
}

const POINTS = 240;

export function loadHistory(seconds: number, project: string, signal: AbortSignal): Promise<History> {
  const query = new URLSearchParams({ seconds: String(seconds), points: String(POINTS), ...(project ? { project } : {}) });
  return request('GET', `/api/v1/history?${query}`, undefined, signal);
}

const LANGUAGES = 5;
/** The bytes of the languages that are most of it now, over time; null where they were not counted. */
export function languagesOf(generations: readonly Generation[]): { label: string; values: (number | null)[] }[] {
  const now = generations.findLast((g) => g.languages)?.languages ?? [];
  const names = [...now].sort((a, b) => b.bytes - a.bytes).slice(0, LANGUAGES).map((l) => l.language);
  return names.map((label) => ({
    label,
    values: generations.map((g) => (g.languages ? (g.languages.find((l) => l.language === label)?.bytes ?? 0) : null)),
  }));
}
