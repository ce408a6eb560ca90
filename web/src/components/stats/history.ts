// SPDX-License-Identifier: MIT
// What the server did in the last day, and how large the index of a project was by generation.
import { request, type Answer } from '../../api/client';

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

export type Cache = NonNullable<Answer<'stats'>['caches']>[number];

const POINTS = 240;

export function loadHistory(seconds: number, project: string, signal: AbortSignal): Promise<History> {
  const query = new URLSearchParams({ seconds: String(seconds), points: String(POINTS), ...(project ? { project } : {}) });
  return request('GET', `/api/v1/history?${query}`, undefined, signal);
}

const share = (hits: number, misses: number): number | null => (hits + misses ? (100 * hits) / (hits + misses) : null);
/** Of all caches together, in percent: since the server began, and in each step. The last of the former is what the table of caches says. */
export function hitRates(samples: readonly Sample[], caches: readonly Cache[]): { sinceStart: (number | null)[]; inStep: (number | null)[] } {
  let hits = caches.reduce((sum, c) => sum + (c.hits ?? 0), 0);
  let misses = caches.reduce((sum, c) => sum + (c.misses ?? 0), 0);
  const sinceStart = samples.map((): number | null => null);
  for (let i = samples.length - 1; i >= 0; i--) {
    sinceStart[i] = share(Math.max(0, hits), Math.max(0, misses));
    hits -= samples[i]!.cache_hits;
    misses -= samples[i]!.cache_misses;
  }
  return { sinceStart, inStep: samples.map((s) => share(s.cache_hits, s.cache_misses)) };
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
