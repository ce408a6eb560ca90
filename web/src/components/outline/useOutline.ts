// SPDX-License-Identifier: MIT
// The symbols of a file as rows of a tree.
import { computed, ref, shallowRef, watch } from 'vue';

import { call, type Schemas } from '../../api/client';
import { useAsync } from '../../composables/useAsync';
import type { SourceOf } from './useSource';

export type OutlineSymbol = Schemas['OutlineSymbol'];
export interface SymbolRow {
  id: string;
  depth: number;
  isFolder: boolean;
  isOpen: boolean;
  symbol: OutlineSymbol;
}

/** A type and the struct that it names are one row: `typedef struct Node { … } Node`. */
export function mergeTwins(list: readonly OutlineSymbol[]): OutlineSymbol[] {
  return list.map((s) => {
    const inside = s.children ?? [];
    const twin = inside.length === 1 && inside[0]!.name === s.name && inside[0]!.start_line === s.start_line && inside[0]!.end_line === s.end_line ? inside[0]! : null;
    return twin ? { ...s, kind: twin.kind, children: mergeTwins(twin.children ?? []) } : inside.length ? { ...s, children: mergeTwins(inside) } : s;
  });
}

const MOST = 200_000; // symbols of a file that are asked for

export function useOutline(of: () => SourceOf, generation: () => number) {
  const symbols = shallowRef<OutlineSymbol[]>([]);
  const total = ref(0);
  const syntaxErrors = ref(0);
  const closed = ref(new Set<string>());
  const filter = ref('');

  const outline = useAsync(async (signal, { project, file, at }: SourceOf) => {
    const all: OutlineSymbol[] = [];
    let offset = 0;
    for (;;) {
      const page = await call('outline', { project, file_path: file, at: at || undefined, offset }, signal);
      all.push(...mergeTwins(page.symbols ?? []));
      symbols.value = [...all];
      total.value = page.total ?? all.length;
      syntaxErrors.value = page.bytes_in_syntax_errors ?? 0;
      if (!page.next_offset || page.next_offset <= offset || page.next_offset > MOST) return page;
      offset = page.next_offset;
    }
  });

  const rows = computed<SymbolRow[]>(() => {
    const found: SymbolRow[] = [];
    const words = filter.value.trim().toLowerCase();
    const put = (list: OutlineSymbol[], depth: number) => {
      for (const symbol of list) {
        const inside = symbol.children ?? [];
        if (words) {
          if (symbol.name.toLowerCase().includes(words)) found.push({ id: symbol.id, depth: 0, isFolder: false, isOpen: false, symbol });
          put(inside, 0);
          continue;
        }
        const isOpen = inside.length > 0 && !closed.value.has(symbol.id);
        found.push({ id: symbol.id, depth, isFolder: inside.length > 0, isOpen, symbol });
        if (isOpen) put(inside, depth + 1);
      }
    };
    put(symbols.value, 0);
    return found;
  });

  function toggle(row: SymbolRow): void {
    const next = new Set(closed.value);
    if (!next.delete(row.id)) next.add(row.id);
    closed.value = next;
  }

  function setAll(isOpen: boolean): void {
    const next = new Set<string>();
    const put = (list: OutlineSymbol[]) => {
      for (const s of list) {
        if (!s.children?.length) continue;
        next.add(s.id);
        put(s.children);
      }
    };
    if (!isOpen) put(symbols.value);
    closed.value = next;
  }

  /** The innermost symbol around a line. */
  function symbolAt(line: number): OutlineSymbol | null {
    let best: OutlineSymbol | null = null;
    const look = (list: OutlineSymbol[]) => {
      for (const s of list) {
        if (line < s.start_line || line > s.end_line) continue;
        if (!best || s.end_line - s.start_line <= best.end_line - best.start_line) best = s;
        look(s.children ?? []);
      }
    };
    look(symbols.value);
    return best;
  }

  let before = '';
  watch(() => JSON.stringify([of(), generation()]), () => {
    const { project, file, at } = of();
    const key = `${project} ${file} ${at}`;
    if (key !== before) {
      symbols.value = [];
      closed.value = new Set();
      filter.value = '';
      total.value = 0;
      before = key;
    }
    if (project && file) void outline.run({ project, file, at });
    else outline.clear();
  }, { immediate: true });

  return { outline, rows, total, syntaxErrors, filter, toggle, setAll, symbolAt };
}
