// SPDX-License-Identifier: MIT
// A list that comes in pages: the first, then more below it, up to a bound.
import { computed, ref, shallowRef, type Ref, type ShallowRef } from 'vue';

import { useAsync } from '../../composables/useAsync';

export interface Page<T> {
  rows: T[];
  next: number | undefined;
  total: number;
}

const MOST = 5000; // rows that are in the page

export function usePages<T>(ask: (offset: number, signal: AbortSignal) => Promise<Page<T>>) {
  const rows = shallowRef<T[]>([]) as ShallowRef<T[]>;
  const next: Ref<number | undefined> = ref();
  const total = ref(0);
  const asked = useAsync((signal, offset: number) => ask(offset, signal));

  function take(page: Page<T> | null, before: T[]): void {
    if (!page) return;
    rows.value = [...before, ...page.rows];
    next.value = rows.value.length < MOST ? page.next : undefined;
    total.value = page.total;
  }
  const first = async () => take(await asked.run(0), []);
  const more = async () => {
    if (next.value) take(await asked.run(next.value), rows.value);
  };
  return { rows, next, total, first, more, error: asked.error, isRunning: computed(() => asked.isRunning.value) };
}
