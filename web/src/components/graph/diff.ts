// SPDX-License-Identifier: MIT
// A pasted diff as the definitions that it changes, named by place.
import { call, type Schemas } from '../../api/client';

interface Hunk {
  oldStart: number;
  newStart: number;
  /** Lines that change, on either side. */
  oldLines: number[];
  newLines: number[];
  added: string[];
}
export interface FileDiff {
  path: string;
  oldPath: string;
  hunks: Hunk[];
}

const MOST_FILES = 40;

const clean = (path: string) => path.replace(/\t.*$/, '').replace(/^"(.*)"$/, '$1').replace(/^[ab]\//, '').trim();

export function parseDiff(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  let oldPath = '';
  let hunk: Hunk | null = null;
  let left = [0, 0];
  let at = [0, 0];
  for (const line of text.split(/\r?\n/)) {
    const file = files[files.length - 1];
    const inHunk = hunk !== null && left[0]! + left[1]! > 0;
    if (!inHunk && line.startsWith('--- ')) oldPath = clean(line.slice(4));
    else if (!inHunk && line.startsWith('+++ ')) files.push({ path: clean(line.slice(4)), oldPath, hunks: [] });
    else if (!inHunk) {
      const m = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
      if (!m || !file) continue;
      at = [Number(m[1]), Number(m[3])];
      left = [Number(m[2] ?? 1), Number(m[4] ?? 1)];
      hunk = { oldStart: at[0]!, newStart: at[1]!, oldLines: [], newLines: [], added: [] };
      file.hunks.push(hunk);
    } else if (line.startsWith('+')) {
      hunk!.newLines.push(at[1]!);
      hunk!.oldLines.push(at[0]!);
      hunk!.added.push(line.slice(1));
      at[1]!++;
      left[1]!--;
    } else if (line.startsWith('-')) {
      hunk!.oldLines.push(at[0]!);
      hunk!.newLines.push(at[1]!);
      at[0]!++;
      left[0]!--;
    } else if (!line.startsWith('\\')) {
      at[0]!++;
      at[1]!++;
      left[0]!--;
      left[1]!--;
    }
  }
  return files.filter((f) => f.hunks.length);
}

// A diff may be applied already, or not yet: the file says which side its lines are of.
async function isApplied(project: string, file: FileDiff, signal?: AbortSignal): Promise<boolean> {
  const hunk = file.hunks.find((h) => h.added.some((l) => l.trim()));
  if (!hunk) return false;
  const line = hunk.newLines[0] ?? hunk.newStart;
  const page = await call('read_file', { project, file_path: file.path, line_start: Math.max(1, line), line_end: line + hunk.added.length + 20 }, signal);
  return page.content.includes(hunk.added.find((l) => l.trim())!);
}

/** "src/a.c:12" of each definition in which the diff changes a line; `unread` are files that the index does not have. */
export async function changedPlaces(project: string, text: string, signal?: AbortSignal): Promise<{ places: string[]; unread: string[]; files: number }> {
  const files = parseDiff(text);
  const places = new Set<string>();
  const unread: string[] = [];
  for (const file of files.slice(0, MOST_FILES)) {
    try {
      if (file.path === '/dev/null') file.path = file.oldPath;
      const useNew = await isApplied(project, file, signal);
      const outline = await call('outline', { project, file_path: file.path }, signal);
      for (const hunk of file.hunks)
        for (const line of useNew ? hunk.newLines : hunk.oldLines) {
          const symbol = innermost(outline.symbols ?? [], line);
          if (symbol) places.add(`${file.path}:${symbol.start_line}`);
        }
    } catch (e) {
      if (e instanceof DOMException) throw e;
      unread.push(file.path);
    }
  }
  return { places: [...places], unread, files: files.length };
}

function innermost(list: Schemas['OutlineSymbol'][], line: number): Schemas['OutlineSymbol'] | null {
  for (const s of list) {
    if (line < s.start_line || line > s.end_line) continue;
    return innermost(s.children ?? [], line) ?? s;
  }
  return null;
}
