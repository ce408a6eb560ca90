// SPDX-License-Identifier: MIT
// Patterns as people type them: one on a line.

export const asLines = (patterns: readonly string[]): string => patterns.join('\n');

export function asPatterns(text: string): string[] {
  return [...new Set(text.split('\n').map((line) => line.trim()).filter(Boolean))];
}

export function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((p, i) => p === b[i]);
}
