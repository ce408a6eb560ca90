// SPDX-License-Identifier: MIT
// Settings, and their changes: looked at before they are made, told with a way back.
import { ref, watch } from 'vue';

import { asApiError, useAsync } from '../../composables/useAsync';
import { toast } from '../../composables/useToasts';
import { asText, asValue, changeSetting, isSame, listSettings, shown, type Setting } from './settings';

/** `project`: its file is meant; '' = that of all projects. */
export function useSettings(project: () => string) {
  const list = useAsync((signal) => listSettings(project() || undefined, signal));
  const busy = ref('');
  const errors = ref<Record<string, string>>({});
  watch(project, () => void list.run(), { immediate: true });

  function setError(key: string, text: string): void {
    errors.value = { ...errors.value, [key]: text };
  }
  const find = (key: string) => list.value.value?.settings.find((s) => s.key === key);

  /** True once it is made. Another page, or an editor, may have changed it since this one looked: then it is not. */
  async function change(before: Setting, value: string | undefined, canUndo = true): Promise<boolean> {
    const of = project();
    busy.value = before.key;
    setError(before.key, '');
    try {
      const now = (await listSettings(of || undefined)).settings.find((s) => s.key === before.key);
      if (now && !isSame(now, before)) {
        await list.again();
        setError(before.key, `It was changed meanwhile: it is ${shown(now)} now. Change it again if you still want to.`);
        return false;
      }
      const answer = await changeSetting(before.key, value, of || undefined);
      await list.again();
      const after = find(before.key);
      const wasInFile = before.source_kind === (of ? 'project_file' : 'user_file');
      const words = answer.overridden_by
        ? `${before.key} is written to the file, but ${answer.overridden_by} wins over it`
        : `${before.key} is ${!after || after.type === 'secret' ? 'changed' : shown(after)}${answer.is_pending ? ', from the next start of the server on' : ''}`;
      const back = canUndo && after && before.type !== 'secret' && of === project();
      toast(words, answer.overridden_by ? 'info' : 'good', back ? { label: 'Undo', run: () => change(after, wasInFile ? asValue(before, asText(before)) : undefined, false) } : undefined);
      return true;
    } catch (e) {
      const problem = asApiError(e);
      setError(before.key, `${problem.message} ${problem.hint}`);
      return false;
    } finally {
      busy.value = '';
    }
  }
  return { list, busy, errors, setError, change };
}
