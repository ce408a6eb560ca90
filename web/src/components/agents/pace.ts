// SPDX-License-Identifier: MIT
// How much is asked of the server: its count of requests, as it comes every two seconds.

export interface Point {
  /** Milliseconds, when the count came. */
  at: number;
  requests: number;
}

const WINDOW_MS = 60_000;

/** With a newer one: those of the last minute. A server that has begun anew counts anew. */
export function addPoint(points: readonly Point[], now: Point): Point[] {
  const before = points.at(-1);
  if (!before || now.requests < before.requests) return [now];
  return [...points, now].filter((p) => now.at - p.at <= WINDOW_MS);
}

/** Of the time between the first and the last; null while there is none. */
export function countOf(points: readonly Point[]): { requests: number; seconds: number } | null {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || last.at <= first.at) return null;
  return { requests: last.requests - first.requests, seconds: Math.round((last.at - first.at) / 1000) };
}

/** Requests a second, from each to the next. */
export function stepsOf(points: readonly Point[]): number[] {
  return points.slice(1).map((p, i) => ((p.requests - points[i]!.requests) * 1000) / Math.max(1, p.at - points[i]!.at));
}
