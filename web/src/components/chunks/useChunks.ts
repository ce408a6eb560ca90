// SPDX-License-Identifier: MIT
// The chunks of a file as rows of a tree: a chunk in the one that holds its symbol's parent, its symbols below it.
import { computed, ref, watch } from 'vue';

import { call, type Answer } from '../../api/client';
import { useAsync } from '../../composables/useAsync';

export type Chunk = Answer<'list_chunks'>['chunks'][number];
type ChunkSymbol = NonNullable<Chunk['symbols']>[number];
export interface ChunkRow {
  id: string;
  depth: number;
  isFolder: boolean;
  isOpen: boolean;
  chunk: Chunk;
  symbol?: ChunkSymbol;
}
export interface ChunksOf {
  project: string;
  file: string;
  at: string;
}

export const chunkBytes = (c: Chunk): number => (c.end_byte ?? 0) - (c.start_byte ?? 0);

export function useChunks(of: () => ChunksOf, generation: () => number) {
  const ask = async (signal: AbortSignal, args: ChunksOf, hasText: boolean) => {
    const chunks: Chunk[] = [];
    let offset = 0;
    for (;;) {
      const page = await call('list_chunks', { project: args.project, file_path: args.file, at: args.at || undefined, content: hasText, embedded: hasText, offset }, signal);
      chunks.push(...page.chunks);
      if (!page.next_offset || page.next_offset <= offset) return { ...page, chunks };
      offset = page.next_offset;
    }
  };
  const list = useAsync((signal, args: ChunksOf) => ask(signal, args, false));
  const texts = useAsync((signal, args: ChunksOf) => ask(signal, args, true));
  const toggled = ref(new Set<string>());
  const chunks = computed(() => list.value.value?.chunks ?? []);

  const rows = computed<ChunkRow[]>(() => {
    const inside = new Map<string, Chunk[]>();
    const tops: Chunk[] = [];
    const bySymbol = new Map<string, Chunk>();
    for (const c of chunks.value) {
      const around = c.parent ? bySymbol.get(c.parent) : undefined;
      if (around) inside.set(around.chunk_id, [...(inside.get(around.chunk_id) ?? []), c]);
      else tops.push(c);
      if (c.symbol_name && !bySymbol.has(c.symbol_name)) bySymbol.set(c.symbol_name, c);
    }
    const all: ChunkRow[] = [];
    const put = (list: Chunk[], depth: number) => {
      for (const chunk of list) {
        const within = inside.get(chunk.chunk_id) ?? [];
        // A type and the struct that it names are one row.
        const named = (chunk.symbols ?? []).filter((s, i, all) => !i || s.name !== all[i - 1]!.name || s.start_line !== all[i - 1]!.start_line);
        const symbols = named.length > 1 ? named : [];
        // Chunks in a chunk are shown unless closed, symbols of it once they are opened.
        const isOpen = within.length > 0 !== toggled.value.has(chunk.chunk_id);
        const isFolder = within.length + symbols.length > 0;
        all.push({ id: chunk.chunk_id, depth, isFolder, isOpen: isFolder && isOpen, chunk });
        if (!isFolder || !isOpen) continue;
        putSymbols(chunk, symbols, depth + 1);
        put(within, depth + 1);
      }
    };
    const putSymbols = (chunk: Chunk, symbols: ChunkSymbol[], depth: number) => {
      const open: ChunkSymbol[] = [];
      for (const symbol of symbols) {
        while (open.length && open[open.length - 1]!.end_line < symbol.start_line) open.pop();
        all.push({ id: `${chunk.chunk_id} ${symbol.name} ${symbol.start_line}`, depth: depth + open.length, isFolder: false, isOpen: false, chunk, symbol });
        open.push(symbol);
      }
    };
    put(tops, 0);
    return all;
  });

  function toggle(row: ChunkRow): void {
    const next = new Set(toggled.value);
    if (!next.delete(row.id)) next.add(row.id);
    toggled.value = next;
  }

  const sums = computed(() => {
    const all = chunks.value;
    const tokens = all.map((c) => c.tokens ?? 0);
    return {
      chunks: all.length,
      tokens: tokens.reduce((a, b) => a + b, 0),
      most: tokens.reduce((a, b) => Math.max(a, b), 0),
      least: tokens.reduce((a, b) => Math.min(a, b), Infinity),
      bytes: all.reduce((sum, c) => sum + chunkBytes(c), 0),
    };
  });

  let before = '';
  watch(() => JSON.stringify([of(), generation()]), () => {
    const args = of();
    const key = JSON.stringify(args);
    if (key !== before) {
      list.clear();
      texts.clear();
      toggled.value = new Set();
      before = key;
    }
    if (!args.project || !args.file) return;
    void list.run(args);
    void texts.run(args);
  }, { immediate: true });

  return { list, texts, chunks, rows, sums, toggle };
}
