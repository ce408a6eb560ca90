// SPDX-License-Identifier: MIT
// Patterns as they are typed, what is kept of a form, and what is asked before something is deleted.
import { mount } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { nextTick } from 'vue';

import ConfirmDialog from '../src/components/ConfirmDialog.vue';
import { asLines, asPatterns, isSame } from '../src/components/projects/patterns';
import { useDraft } from '../src/composables/useDraft';

describe('patterns', () => {
  it('are one on a line, without blanks around them and without doubles', () => {
    expect(asPatterns('  src/** \n\n*.{ts,vue}\nsrc/**\n')).toEqual(['src/**', '*.{ts,vue}']);
    expect(asPatterns(' \n ')).toEqual([]);
  });

  it('come back as they were', () => {
    const patterns = ['a b/**', '!x', '**/*_generated.go'];
    expect(isSame(asPatterns(asLines(patterns)), patterns)).toBe(true);
    expect(isSame(['a'], ['a', 'b'])).toBe(false);
  });
});

describe('a draft', () => {
  it('is there after a reload, and gone once it is sent', async () => {
    const draft = useDraft('test');
    draft.value = '/home/me/service';
    await nextTick();
    expect(useDraft('test').value).toBe('/home/me/service');
    draft.value = '';
    await nextTick();
    expect(sessionStorage.getItem('ken.draft test')).toBeNull();
  });
});

describe('before a project is deleted', () => {
  afterEach(() => (document.body.innerHTML = ''));

  it('its name must be typed as it is', async () => {
    const view = mount(ConfirmDialog, { attachTo: document.body, props: { open: true, title: 'Delete', text: 'It is gone then.', action: 'Delete', word: 'Service' } });
    await nextTick();
    const field = document.querySelector<HTMLInputElement>('[role=dialog] input')!;
    const button = document.querySelector<HTMLButtonElement>('[role=dialog] button.danger')!;
    const form = document.querySelector<HTMLFormElement>('[role=dialog] form')!;
    for (const [typed, isEnough] of [['service', false], ['Service ', false], ['Service', true]] as const) {
      field.value = typed;
      field.dispatchEvent(new Event('input'));
      await nextTick();
      expect(button.disabled, typed).toBe(!isEnough);
      form.dispatchEvent(new Event('submit', { cancelable: true }));
      expect(view.emitted('confirm')?.length ?? 0, typed).toBe(isEnough ? 1 : 0);
    }
    view.unmount();
  });
});
