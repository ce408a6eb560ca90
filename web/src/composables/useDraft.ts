// SPDX-License-Identifier: MIT
// What was typed and not yet sent: kept for the tab, so that a reload loses nothing.
import { ref, watch, type Ref } from 'vue';

export function useDraft(name: string, initial = ''): Ref<string> {
  const key = `ken.draft ${name}`;
  const value = ref(sessionStorage.getItem(key) ?? initial);
  watch(value, (text) => {
    if (text === initial) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  });
  return value;
}
