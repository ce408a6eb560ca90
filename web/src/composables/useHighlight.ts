// SPDX-License-Identifier: MIT
// Code in colours. Until they are there, and where there are none, lines are plain.
import { shallowRef, triggerRef, watch, type ShallowRef } from 'vue';

import { startWorker } from '../api/trust';
import type { Lines } from '../workers/highlight.worker';
import workerUrl from '../workers/highlight.worker?worker&url';
import { afterPaint } from './afterPaint';

const MOST_CHARS = 1_500_000;
const KEPT = 200;
const TELL_MS = 60; // between two drawings of the same text

let worker: Worker | null = null;
let next = 1;
interface Part {
  id: number;
  from: number;
  lines: Lines | null;
  isLast: boolean;
}
const waiting = new Map<number, (part: Part) => void>();
const kept = new Map<string, Lines>();

/** Calls `take` with each part; its result is false once they are not wanted any more. */
function ask(language: string, text: string, take: (from: number, lines: Lines) => boolean): Promise<boolean> {
  if (!worker) {
    worker = startWorker(workerUrl);
    worker.addEventListener('message', (e: MessageEvent<Part>) => waiting.get(e.data.id)?.(e.data));
  }
  const id = next++;
  return new Promise((resolve) => {
    waiting.set(id, ({ from, lines, isLast }) => {
      const goesOn = lines !== null && take(from, lines);
      if (goesOn && !isLast) return;
      waiting.delete(id);
      resolve(goesOn);
    });
    worker!.postMessage({ id, language, text });
  });
}

export function plainLines(text: string): Lines {
  return text.split('\n').map((line) => (line ? [[line]] : []));
}

export function useHighlight(source: () => { language: string; text: string }): ShallowRef<Lines> {
  const lines = shallowRef<Lines>([]);
  watch(
    source,
    async ({ language, text }) => {
      const key = text.length < 20_000 ? `${language}\n${text}` : '';
      const before = key ? kept.get(key) : undefined;
      if (before) {
        lines.value = before;
        return;
      }
      const mine = plainLines(text);
      lines.value = mine;
      if (!text || text.length > MOST_CHARS) return;
      // A plain text that is seen now is worth more than a coloured one later.
      await new Promise<void>(afterPaint);
      if (lines.value !== mine) return;
      let told = 0;
      const isWhole = await ask(language, text, (from, part) => {
        if (lines.value !== mine) return false;
        part.forEach((line, i) => (mine[from + i] = line));
        if (performance.now() - told > TELL_MS) {
          triggerRef(lines);
          told = performance.now();
        }
        return true;
      });
      if (lines.value === mine) triggerRef(lines);
      if (isWhole && key) {
        kept.set(key, mine);
        if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
      }
    },
    { immediate: true },
  );
  return lines;
}
