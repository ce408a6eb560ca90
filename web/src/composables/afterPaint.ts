// SPDX-License-Identifier: MIT
// What can wait until a person sees what has been drawn.

/** Runs `f` once the next frame is painted; at once, but not now, where nothing is painted. */
export function afterPaint(f: () => void): void {
  if (document.hidden) setTimeout(f);
  else requestAnimationFrame(() => setTimeout(f));
}
