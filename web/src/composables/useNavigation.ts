// SPDX-License-Identifier: MIT
// Ways from one view to another, as addresses: all that a view shows is in its address, so links can be sent.
import { computed, type Ref, type WritableComputedRef } from 'vue';
import { useRoute, useRouter, type RouteLocationRaw } from 'vue-router';

import { lastSearch } from './lastSearch';

export interface Place {
  file: string;
  line?: number | undefined;
  project?: string | undefined;
}

/** "src/a.c:12" or "src/a.c:12-30" as answers give places. */
export function parsePlace(at: string): Place {
  const m = /^(.*?):(\d+)(?:-\d+)?(?::\d+)?$/.exec(at);
  return m ? { file: m[1]!, line: Number(m[2]) } : { file: at };
}

export function useNavigation() {
  const route = useRoute();
  const router = useRouter();
  const project = () => (typeof route.query.project === 'string' ? route.query.project : undefined);

  // Who comes back to the search finds what was asked there last, of this project; who is there and wants it empty goes to it again.
  const toView = (name: string): RouteLocationRaw => ({ name, query: { ...(name === 'search' && route.name !== 'search' ? lastSearch(project()) : {}), ...(project() ? { project: project() } : {}) } });
  // Who looks at a commit goes on looking at it, within a project.
  const at = (of?: string) => (typeof route.query.at === 'string' && route.query.at && (!of || of === project()) ? { at: route.query.at } : {});
  const toFile = (p: Place): RouteLocationRaw => ({
    name: 'outline',
    query: { project: p.project ?? project(), file: p.file, ...(p.line ? { line: String(p.line) } : {}), ...at(p.project) },
  });
  const toChunks = (p: Place): RouteLocationRaw => ({ ...(toFile(p) as object), name: 'chunks' }) as RouteLocationRaw;
  const toGraph = (symbol: string, file?: string, of?: string, show?: 'impact'): RouteLocationRaw => ({ name: 'graph', query: { project: of ?? project(), ...(show ? { show } : {}), symbol, ...(file ? { file } : {}), ...at(of) } });
  const toSearch = (q: string): RouteLocationRaw => ({ name: 'search', query: { project: project(), q, ...at() } });

  /** A part of the address as a value. Setting it does not add to the history unless `isStep`. */
  function inAddress(name: string, isStep = false): WritableComputedRef<string> {
    return computed({
      get: () => (typeof route.query[name] === 'string' ? (route.query[name] as string) : ''),
      set: (value) => {
        const query = { ...route.query, [name]: value || undefined };
        void (isStep ? router.push({ query }) : router.replace({ query }));
      },
    });
  }

  /** Several parts of the address at once. Resolves when they are in it. */
  function setAddress(parts: Record<string, string | undefined>, isStep = false): Promise<unknown> {
    const query = { ...route.query, ...parts };
    return isStep ? router.push({ query }) : router.replace({ query });
  }

  /** For v-bind of an <a> where many of them are drawn at once: a RouterLink is a component with watchers of its own. */
  function link(to: RouteLocationRaw): { href: string; onClick: (e: MouseEvent) => void } {
    return {
      href: router.resolve(to).href,
      onClick(e) {
        if (e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
        e.preventDefault();
        void router.push(to);
      },
    };
  }

  return { route, router, link, toView, toFile, toChunks, toGraph, toSearch, inAddress, setAddress, go: (to: RouteLocationRaw) => router.push(to) };
}

export type AddressPart = Ref<string>;
