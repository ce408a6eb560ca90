// SPDX-License-Identifier: MIT
// Which lines of a result are shown first: those of the symbol that it is named for; of text and patterns those that have it.
import type { Answer } from '../../api/client';

export type Result = Answer<'search_code'>['results'][number];
export const SHORT = 12; // lines that are shown at first
const ABOVE = 6; // lines right above a symbol that belong to it, such as what is said of it

const named = (r: Result) => r.symbols?.find((s) => s.name === r.symbol_name);

/** Where the symbol is that the result is named for; else where the result begins. */
export const lineOf = (r: Result): number => named(r)?.start_line ?? r.start_line;

/** Lines that are passed over, so that the symbol and what stands right above it comes first. */
export function passedOver(r: Result): number {
  const is = named(r);
  if (!is) return 0;
  let at = is.start_line - r.start_line;
  // Where the last one before it ends; those around it do not count.
  const before = (r.symbols ?? []).filter((s) => s.start_line < is.start_line && s.end_line < is.end_line && s.name !== is.name).reduce((last, s) => Math.max(last, s.end_line - r.start_line), -1);
  if (at < SHORT && before < 0) return 0;
  const lines = r.content.split('\n');
  for (let n = 0; n < ABOVE && at - 1 > before && lines[at - 1]?.trim(); n++) at--;
  return Math.max(0, at);
}

export interface LineHit {
  line: number;
  text: string;
  symbol?: string | undefined;
  /** What matched, in characters: from and to, one pair after the other. */
  marks: readonly number[];
}
/** The lines that have the text or fit the pattern; none of a result that is a piece of code as a whole. */
export const lineHits = (r: Result): LineHit[] => (r.places ?? []).flatMap((p) => (p.text === undefined ? [] : [{ line: p.start_line, text: p.text, symbol: p.symbol_name, marks: p.marks ?? [] }]));

/** Where one who opens the result wants to be. */
export const openLine = (r: Result): number => lineHits(r)[0]?.line ?? r.start_line + passedOver(r);

/** A line in pieces: what matched, and what stands between. */
export function pieces(hit: LineHit): { text: string; isHit: boolean }[] {
  const chars = [...hit.text];
  const ends = [...hit.marks, chars.length];
  return ends.map((end, i) => ({ text: chars.slice(ends[i - 1] ?? 0, end).join(''), isHit: i % 2 === 1 })).filter((p) => p.text);
}
