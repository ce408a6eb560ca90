// SPDX-License-Identifier: MIT
// The projects there are, and the one that views are about: the address names it, else the server's
// selection does, else it is the only one.
import { computed, ref } from 'vue';
import { useRoute, useRouter } from 'vue-router';

import { call, type Answer } from '../api/client';
import { onEvent } from '../api/events';
import { asApiError } from './useAsync';
import type { ApiError } from '../api/client';

export type Project = Answer<'list_projects'>['projects'][number];

const projects = ref<Project[]>([]);
/** The last one that was alone: nobody has to choose it, and it stays when others come. */
const only = ref('');
const isLoaded = ref(false);
const error = ref<ApiError | null>(null);
/** Grows when the index of a project has changed: who shows something of it asks again. */
const generations = ref<Record<string, number>>({});

export async function loadProjects(): Promise<void> {
  try {
    const all: Project[] = [];
    let offset = 0;
    for (;;) {
      const page = await call('list_projects', { offset });
      all.push(...page.projects);
      if (!page.next_offset || page.next_offset <= offset) break;
      offset = page.next_offset;
    }
    projects.value = all;
    const there = all.filter((p) => p.status !== 'archived');
    if (there.length === 1 && there[0]) only.value = there[0].id;
    error.value = null;
  } catch (e) {
    error.value = asApiError(e);
  } finally {
    isLoaded.value = true;
  }
}

onEvent('index', (data) => {
  const id = (data as { project_id: string }).project_id;
  generations.value = { ...generations.value, [id]: (generations.value[id] ?? 0) + 1 };
  void loadProjects(); // its counts are others now
});
onEvent('job', (data) => {
  const job = data as { kind: string; state: string };
  if (job.kind !== 'model_download' && ['running', 'done', 'failed', 'cancelled'].includes(job.state)) void loadProjects();
});
onEvent('back', () => void loadProjects());

export function useCurrentProject() {
  const route = useRoute();
  const router = useRouter();

  const current = computed<Project | null>(() => {
    const named = route.query.project;
    if (typeof named === 'string') return projects.value.find((p) => p.id === named) ?? projects.value.find((p) => p.name === named || p.root === named) ?? null;
    return projects.value.find((p) => p.is_selected) ?? projects.value.find((p) => p.id === only.value) ?? null;
  });
  const id = computed(() => current.value?.id ?? '');
  const generation = computed(() => generations.value[id.value] ?? 0);
  /** The address names a project that is not there. */
  const isUnknown = computed(() => isLoaded.value && typeof route.query.project === 'string' && !current.value);

  async function select(project: string): Promise<void> {
    const { name, query } = route;
    // What else the address says is of the project before.
    await router.push({ name: name ?? 'search', query: { ...(name === 'search' ? { q: query.q } : {}), project } });
    try {
      await call('select_project', { project });
      await loadProjects();
    } catch {
      // without the right to write, the address alone keeps it
    }
  }

  return { projects, isLoaded, error, current, id, generation, isUnknown, select, reload: loadProjects };
}
