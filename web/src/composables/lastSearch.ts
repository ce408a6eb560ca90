// SPDX-License-Identifier: MIT
// What was asked last in the search of each project, with its filters: for as long as the tab is open.
import { shallowRef } from 'vue';
import type { LocationQuery } from 'vue-router';

const KEY = 'ken.search';
const MOST = 50; // projects
const last = shallowRef<Record<string, LocationQuery>>(read());

function read(): Record<string, LocationQuery> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, LocationQuery>;
  } catch {
    return {};
  }
}

export function lastSearch(project = ''): LocationQuery {
  return last.value[project] ?? {};
}

// What is like a place is asked of that place, and never of what is typed next.
export function keepSearch({ project = '', ...query }: LocationQuery): void {
  if (query.mode === 'similar') return;
  const id = String(project);
  const others = Object.entries(last.value).filter(([of]) => of !== id);
  last.value = Object.fromEntries([...others, [id, query] as const].slice(-MOST));
  try {
    sessionStorage.setItem(KEY, JSON.stringify(last.value));
  } catch {
    // kept until the page is loaded again
  }
}

/** Where one was among the results of a question, for who comes back to it. */
export interface Place {
  question: string;
  chosen: number;
  /** The results after the first were asked for, too. */
  hasMore: boolean;
}
let place: Place | null = null;
export const keepPlace = (p: Place): void => void (place = p);
export const placeIn = (question: string): Place | null => (place?.question === question ? place : null);
