// SPDX-License-Identifier: MIT
// The folders of a project, asked for as they are opened. A folder of any size has a row for each entry at once, so that the
// scroll bar is true; a page of entries is asked for when one of its rows comes into sight.
import { onScopeDispose, shallowRef, watch } from 'vue';

import { call, type Answer, type ApiError } from '../../api/client';
import { onEvent } from '../../api/events';
import { asApiError } from '../../composables/useAsync';

export type FileEntry = Answer<'list_files'>['entries'][number];
export interface FileRow {
  id: string;
  depth: number;
  isFolder: boolean;
  isOpen?: boolean;
  /** Not there before its page has come. */
  entry?: FileEntry;
  listing: Listing;
  index: number;
}
interface Listing {
  directory: string;
  filter: string;
  depth: number;
  rows: FileRow[];
  asked: Set<number>;
  error: ApiError | null;
  totals: Answer<'list_files'>['totals'] | null;
}
export interface FileSource {
  project: string;
  at: string;
  filter: string;
}

const PAGE = 500;

export function useFiles(source: () => FileSource, generation: () => number) {
  const rows = shallowRef<FileRow[]>([]);
  const error = shallowRef<ApiError | null>(null);
  const totals = shallowRef<Listing['totals']>(null);
  const isLoaded = shallowRef(false);
  let now = source();
  let listings = new Map<string, Listing>();
  let top = newListing('', now.filter, 0);
  let open = new Set<string>();
  let abort = new AbortController();

  const key = () => `ken.open ${now.project}`;

  function newListing(directory: string, filter: string, depth: number): Listing {
    return { directory, filter, depth, rows: [], asked: new Set(), error: null, totals: null };
  }

  const emptyRow = (l: Listing, index: number): FileRow => ({ id: `${l.directory}/\u0000${index}`, depth: l.depth, isFolder: false, listing: l, index });

  function flatten(): void {
    const all: FileRow[] = [];
    const put = (l: Listing) => {
      for (const row of l.rows) {
        all.push(row);
        const inside = row.isOpen ? listings.get(row.id) : undefined;
        if (inside) put(inside);
      }
    };
    put(top);
    rows.value = all;
    error.value = top.error;
    totals.value = top.totals;
  }

  // Rows that wait are drawn again: whether their listing failed has changed.
  function renew(l: Listing): void {
    l.rows = l.rows.map((row) => (row.entry ? row : { ...row }));
  }

  function take(l: Listing, answer: Answer<'list_files'>): void {
    const offset = answer.offset ?? 0;
    l.rows.length = Math.min(l.rows.length, answer.total);
    for (let i = l.rows.length; i < answer.total; i++) l.rows.push(emptyRow(l, i));
    answer.entries.forEach((entry, i) => {
      const isFolder = entry.kind === 'folder';
      l.rows[offset + i] = { id: entry.path, depth: l.depth, isFolder, isOpen: isFolder && open.has(entry.path), entry, listing: l, index: offset + i };
      if (isFolder && open.has(entry.path)) loadFolder(entry.path, l.depth + 1);
    });
    l.totals = answer.totals;
    l.error = null;
  }

  async function loadPage(l: Listing, page: number): Promise<void> {
    if (l.asked.has(page)) return;
    l.asked.add(page);
    const mine = abort;
    try {
      const answer = await call(
        'list_files',
        { project: now.project, at: now.at || undefined, directory: l.directory || undefined, filter: l.filter || undefined, limit: PAGE, offset: page * PAGE },
        mine.signal,
      );
      if (mine.signal.aborted) return;
      take(l, answer);
    } catch (e) {
      if (mine.signal.aborted) return;
      l.asked.delete(page);
      l.error = asApiError(e);
      if (!l.rows.length && l !== top) l.rows.push(emptyRow(l, 0));
      renew(l);
    }
    if (l === top) isLoaded.value = true;
    flatten();
  }

  function loadFolder(directory: string, depth: number): void {
    let l = listings.get(directory);
    if (!l) {
      l = newListing(directory, '', depth);
      l.rows.push(emptyRow(l, 0));
      listings.set(directory, l);
    }
    void loadPage(l, 0);
  }

  function setOpen(path: string, isOpen: boolean): void {
    if (isOpen) open.add(path);
    else open.delete(path);
    try {
      sessionStorage.setItem(key(), JSON.stringify([...open].slice(-500)));
    } catch {
      // full: what is open is not kept then
    }
  }

  function toggle(row: FileRow): void {
    if (!row.isFolder) return;
    setOpen(row.id, !row.isOpen);
    row.listing.rows[row.index] = { ...row, isOpen: !row.isOpen };
    if (!row.isOpen) loadFolder(row.id, row.depth + 1);
    flatten();
  }

  /** Opens the folders around a file. */
  function reveal(path: string): void {
    const parts = path.split('/');
    for (let i = 1; i < parts.length; i++) {
      const folder = parts.slice(0, i).join('/');
      setOpen(folder, true);
      const row = rows.value.find((r) => r.id === folder);
      if (!row) continue; // it is opened when it comes
      if (!row.isOpen) toggle(row);
    }
  }

  /** A row without an entry has come into sight. */
  function need(row: FileRow): void {
    if (!row.entry && !row.listing.error) void loadPage(row.listing, Math.floor(row.index / PAGE));
  }

  function retry(row?: FileRow): void {
    const l = row?.listing ?? top;
    l.error = null;
    renew(l);
    void loadPage(l, Math.floor((row?.index ?? 0) / PAGE));
    flatten();
  }

  function reset(): void {
    const before = now;
    now = source();
    abort.abort();
    abort = new AbortController();
    if (before.project !== now.project || before.at !== now.at || !isLoaded.value) {
      listings = new Map();
      try {
        open = new Set(JSON.parse(sessionStorage.getItem(key()) ?? '[]') as string[]);
      } catch {
        open = new Set();
      }
    }
    for (const l of listings.values()) l.asked.clear(); // what was on its way has ended
    top = newListing('', now.filter, 0);
    if (now.project) void loadPage(top, 0);
  }

  // The index is a newer one: what is shown stays until the new entries are there.
  function refresh(): void {
    abort.abort();
    abort = new AbortController();
    for (const l of [top, ...listings.values()]) {
      const pages = [...l.asked];
      l.asked.clear();
      for (const page of pages) void loadPage(l, page);
    }
  }

  watch(() => JSON.stringify(source()), reset, { immediate: true });
  watch(generation, refresh);
  const stop = onEvent('back', () => {
    for (const l of [top, ...listings.values()]) if (l.error) retry(l.rows[0] ?? { ...emptyRow(l, 0) });
  });
  onScopeDispose(() => {
    stop();
    abort.abort();
  });
  return { rows, error, totals, isLoaded, toggle, reveal, need, retry };
}
