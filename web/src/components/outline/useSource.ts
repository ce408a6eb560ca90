// SPDX-License-Identifier: MIT
// A file as it is now, or at a commit: the first page of it at once, the rest in larger ones behind it.
import { shallowRef, watch } from 'vue';

import { call, type Answer } from '../../api/client';
import { useAsync } from '../../composables/useAsync';

export interface SourceOf {
  project: string;
  file: string;
  at: string;
}

const FIRST_BYTES = 512 * 1024;
const NEXT_BYTES = 4 * 1024 * 1024;

export function useSource(of: () => SourceOf, generation: () => number) {
  const text = shallowRef('');
  /** Which file the text is of. */
  const label = shallowRef('');
  const isWhole = shallowRef(false);
  const about = shallowRef<Answer<'read_file'> | null>(null);

  const source = useAsync(async (signal, { project, file, at }: SourceOf) => {
    const ask = (line: number, bytes: number) => call('read_file', { project, file_path: file, at: at || undefined, line_start: line, max_bytes: bytes }, signal);
    const parts: string[] = [];
    let page = await ask(1, FIRST_BYTES);
    parts.push(page.content);
    const give = () => {
      text.value = parts.join('').replace(/\r?\n$/, '');
      label.value = `${project} ${file} ${at}`;
      about.value = page;
      isWhole.value = !page.truncated;
    };
    // Read again after a change: what is shown stays until all of it is there.
    if (label.value !== `${project} ${file} ${at}`) give();
    while (page.truncated && page.next_line && page.next_line > page.start_line) {
      page = await ask(page.next_line, NEXT_BYTES);
      parts.push(page.content);
    }
    give();
    return page;
  });

  watch(() => JSON.stringify([of(), generation()]), () => {
    const { project, file, at } = of();
    if (label.value !== `${project} ${file} ${at}`) {
      text.value = label.value = '';
      about.value = null;
    }
    if (project && file) void source.run({ project, file, at });
    else source.clear();
  }, { immediate: true });
  return { source, text, label, isWhole, about };
}
