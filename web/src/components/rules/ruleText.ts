// SPDX-License-Identifier: MIT
// The text of a rule in parts: words and code, which stands between backticks. A long list of code is folded.

export interface Part {
  text: string;
  isCode: boolean;
}
export interface Piece {
  parts: Part[];
  /** How many pieces of code are folded here; 0: it is shown. */
  folded: number;
}

const SHOWN = 3; // of a list
const LEAST_FOLDED = 3;
// What stands between two entries of a list: "`a`, `b` or `c`", "4 of 4 `a` files, 5 of 5 `b` files".
const JOINT = /^( files?)?(,? or |,? and |, )(\d+ of \d+ )?$/;

function partsOf(text: string): Part[] {
  return text.split(/(`[^`]+`)/).filter(Boolean).map((part) => {
    const isCode = part.length > 2 && part.startsWith('`') && part.endsWith('`');
    return { text: isCode ? part.slice(1, -1) : part, isCode };
  });
}

export function piecesOf(text: string): Piece[] {
  const parts = partsOf(text);
  const pieces: Piece[] = [];
  let shown: Part[] = [];
  for (let i = 0; i < parts.length; ) {
    let end = i; // of the list that begins here
    while (parts[i]!.isCode && parts[end + 2]?.isCode && JOINT.test(parts[end + 1]!.text)) end += 2;
    const folded = (end - i) / 2 + 1 - SHOWN;
    if (folded < LEAST_FOLDED) {
      shown.push(...parts.slice(i, end + 1));
    } else {
      const from = i + 2 * SHOWN - 1;
      pieces.push({ parts: [...shown, ...parts.slice(i, from)], folded: 0 }, { parts: parts.slice(from, end + 1), folded });
      shown = [];
    }
    i = end + 1;
  }
  return shown.length ? [...pieces, { parts: shown, folded: 0 }] : pieces;
}

/** In one line, where nothing can be unfolded. */
export function shortRule(text: string): string {
  return piecesOf(text).map((p) => (p.folded ? ` and ${p.folded} more` : p.parts.map((part) => part.text).join(''))).join('');
}

export const documentLanguage = (path: string): string => (/\.ya?ml$/.test(path) ? 'yaml' : /\.json$/.test(path) ? 'json' : 'markdown');
