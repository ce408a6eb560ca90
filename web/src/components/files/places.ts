// SPDX-License-Identifier: MIT
// Addresses of a place in a file: for an editor on this machine, and for others.

interface Roots {
  root?: string | undefined;
  roots?: Record<string, string> | undefined;
}

/** The page comes from this machine, and so do the files. */
export function isLocal(): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
}

/** Where the file is on disk; "@NAME/…" is below a further folder of the project. */
export function diskPath(file: string, project: Roots): string | null {
  const m = /^@([^/]+)\/(.*)$/.exec(file);
  const further = m ? project.roots?.[m[1]!] : undefined;
  if (further) return `${further}/${m![2]}`;
  return project.root ? `${project.root}/${file}` : null;
}

/** Opens VS Code at the line; null where the files are not on the machine of the browser. */
export function editorUrl(file: string, line: number | undefined, project: Roots): string | null {
  const path = isLocal() ? diskPath(file, project) : null;
  if (!path) return null;
  return `vscode://file${path.split('/').map(encodeURIComponent).join('/')}${line ? `:${line}` : ''}`;
}

const CONTROLS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Text runs in an order in which it does not stand: marks of direction are in it. */
export const hasDirectionMarks = (text: string): boolean => CONTROLS.test(text);
/** Marks of direction made visible, as in a name that would seem another. */
export const visible = (text: string): string => text.replace(new RegExp(CONTROLS, 'g'), (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase()}]`);
