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
}
/** The lines that have the text or fit the pattern; none of a result that is a piece of code as a whole. */
export const lineHits = (r: Result): LineHit[] => (r.places ?? []).flatMap((p) => (p.text === undefined ? [] : [{ line: p.start_line, text: p.text, symbol: p.symbol_name }]));

/** Where one who opens the result wants to be. */
export const openLine = (r: Result): number => lineHits(r)[0]?.line ?? r.start_line + passedOver(r);

/** A text that was asked for, to be marked where it was found. What a pattern fits is not worked out again here: the server bounds that, a page cannot. */
export function patternOf(query: string, mode: string, isCased: boolean): RegExp | null {
  return mode === 'text' && query ? new RegExp(query.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), isCased ? 'g' : 'gi') : null;
}

export function pieces(text: string, pattern: RegExp | null): { text: string; isHit: boolean }[] {
  const out: { text: string; isHit: boolean }[] = [];
  let at = 0;
  for (const m of pattern ? text.matchAll(pattern) : []) {
    if (!m[0]) continue;
    if (m.index > at) out.push({ text: text.slice(at, m.index), isHit: false });
    out.push({ text: m[0], isHit: true });
    at = m.index + m[0].length;
  }
  if (at < text.length) out.push({ text: text.slice(at), isHit: false });
  return out;
}
