// SPDX-License-Identifier: MIT
// Patterns as they are typed, what is kept of a form, and what is asked before something is deleted.
import { mount } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { nextTick } from 'vue';

import { ApiError } from '../src/api/client';
import ConfirmDialog from '../src/components/ConfirmDialog.vue';
import { asLines, asPatterns, isSame } from '../src/components/projects/patterns';
import { faultOf } from '../src/components/projects/remoteFault';
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

describe('why a repository could not be added', () => {
  it('stands at the field that it is about', () => {
    const cases = [
      [400, 'EINVAL', 'args: url: has a query or a fragment; give it without', 'url'],
      [400, 'EINVAL', "args: branch: 'a..b' is no name that git allows", 'branch'],
      [409, 'EEXIST', "args: name: 'shop' and 99 more are taken; give another", 'name'],
      [404, 'ENOTFOUND', "git fetch failed: fatal: couldn't find remote ref refs/heads/x; add the repository with another branch", 'branch'],
      [404, 'ENOTFOUND', "git ls-remote failed: fatal: repository 'http://h/branch.git/' not found", 'url'],
      [403, 'EPERM', 'git ls-remote failed: fatal: Authentication failed', 'url'],
      [502, 'EREMOTE', 'git ls-remote failed: Could not resolve host: h', 'url'],
      [507, 'ENOSPC', 'git fetch failed: No space left on device; free some room', ''],
      [0, 'EOFFLINE', 'The server does not answer.', ''],
    ] as const;
    for (const [status, code, text, field] of cases) expect(faultOf(new ApiError(status, code, text)).field, text).toBe(field);
    expect(faultOf(new ApiError(400, 'EINVAL', 'args: url: lacks a host')).text).toBe('url: lacks a host');
    expect(faultOf(new ApiError(502, 'EREMOTE', 'Could not resolve host: h')).text).toBe('The server does not reach it, or it fails. Could not resolve host: h');
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
