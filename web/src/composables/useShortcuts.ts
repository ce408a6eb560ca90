// SPDX-License-Identifier: MIT
// Keys. One key ("/"), with control ("mod+k"), or two after each other ("g s"). None while one types.
import { onScopeDispose, ref } from 'vue';

export interface Shortcut {
  keys: string;
  /** Others that do the same. */
  or?: string[];
  text: string;
  group: string;
  run: () => void;
}

const SECOND_MS = 1200;
export const shortcuts = ref<Shortcut[]>([]);
let first = '';
let timer: ReturnType<typeof setTimeout> | undefined;

/** Until the component is gone. */
export function useShortcuts(list: Shortcut[]): void {
  shortcuts.value = [...shortcuts.value, ...list];
  onScopeDispose(() => (shortcuts.value = shortcuts.value.filter((s) => !list.some((mine) => mine.keys === s.keys && mine.text === s.text))));
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

function ownsKey(e: KeyboardEvent): boolean {
  if (!(e.target instanceof Element)) return false;
  if (e.key === 'Enter') return e.target.closest('a, button, summary, [role="tab"], [role="treeitem"]') !== null;
  return e.key.startsWith('Arrow') && e.target.closest('aside, [role="tablist"], [role="tree"], [role="region"][tabindex]') !== null;
}

function onKey(e: KeyboardEvent): void {
  if (e.defaultPrevented || e.isComposing || e.altKey) return;
  const isMod = e.ctrlKey || e.metaKey;
  // A dialog has keys of its own, and so has a menu.
  if ((isTyping(e.target) || document.querySelector('[role="dialog"], [role="menu"]')) && !isMod) return;
  // Enter and arrows belong to the control that has the focus, if it uses them.
  if (ownsKey(e)) return;
  const key = isMod ? `mod+${e.key.toLowerCase()}` : e.key;
  const keys = first ? `${first} ${key}` : key;
  // The newest view's own keys win.
  const found = [...shortcuts.value].reverse().find((s) => s.keys === keys || s.or?.includes(keys));
  clearTimeout(timer);
  first = '';
  if (found) {
    e.preventDefault();
    found.run();
  } else if (shortcuts.value.some((s) => s.keys.startsWith(`${key} `))) {
    first = key;
    timer = setTimeout(() => (first = ''), SECOND_MS);
  }
}

export function listenForKeys(): void {
  addEventListener('keydown', onKey);
}
