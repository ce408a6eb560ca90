// SPDX-License-Identifier: MIT
// The form of a model of one's own: what it takes, what it sends, and where a refusal stands.
import { mount } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nextTick } from 'vue';

import AddModelDialog from '../src/components/indexing/AddModelDialog.vue';
import { asArguments, faultsOf, FIELDS, refusalOf, type Typed } from '../src/components/indexing/newModel';

const typed = (more: Partial<Typed> = {}): Typed => ({ ...(Object.fromEntries(FIELDS.map((f) => [f.name, ''])) as Typed), id: 'mine', source: 'https://host/model.onnx', tokenizer_source: '/srv/vocab.txt', ...more });

describe('a new model', () => {
  it('needs a name, a file and a tokenizer, and no more', () => {
    expect(faultsOf(typed())).toEqual({});
    expect(Object.keys(faultsOf(typed({ id: '', source: ' ', tokenizer_source: '' })))).toEqual(['id', 'source', 'tokenizer_source']);
  });

  it.each([
    ['id', '../up'], ['id', '.hidden'], ['id', 'a b'], ['source', 'model.onnx'], ['source', 'ftp://host/m'], ['source', 'https://me:secret@host/m'],
    ['tokenizer_source', 'http://'], ['dims', '0'], ['dims', '4097'], ['dims', '1.5'], ['dims', 'many'], ['max_tokens', '7'], ['size_bytes', '-1'],
    ['ram_bytes', '1e12'], ['latency_ms', 'NaN'], ['sha256', 'abc'],
  ] as const)('is told at once that %s is not %s', (name, value) => {
    expect(faultsOf(typed({ [name]: value }))[name]).toBeTruthy();
  });

  it.each([
    ['source', 'file:///srv/model.onnx'], ['source', '/srv/a b/model.onnx'], ['source', 'http://127.0.0.1:8080/m.onnx?x=1'], ['dims', '384'], ['size_bytes', '90.4'], ['sha256', 'A'.repeat(64)],
  ] as const)('takes for %s %s', (name, value) => {
    expect(faultsOf(typed({ [name]: value }))).toEqual({});
  });

  it('is sent without what is empty, sizes in bytes, lines as lines', () => {
    expect(asArguments(typed({ license: ' MIT ', dims: '384', size_bytes: '90.4', query_prefix: 'query:\\n ', latency_ms: '' }))).toEqual({
      id: 'mine', source: 'https://host/model.onnx', tokenizer_source: '/srv/vocab.txt', license: 'MIT', dims: 384, size_bytes: 94_791_270, query_prefix: 'query:\n ',
    });
  });

  it('finds the field that a refusal is of', () => {
    expect(refusalOf("id: there is a model 'mine' already")).toEqual({ name: 'id', text: "there is a model 'mine' already" });
    expect(refusalOf('args.dims: 5000 is over 4096')).toEqual({ name: 'dims', text: '5000 is over 4096' });
    expect(refusalOf('this operation needs an access token of scope admin')).toBeUndefined();
    expect(refusalOf('disk: full')).toBeUndefined();
  });
});

describe('the dialog of a new model', () => {
  beforeEach(() => sessionStorage.clear());
  afterEach(() => (document.body.innerHTML = ''));
  const open = async () => {
    const view = mount(AddModelDialog, { attachTo: document.body, props: { open: true } });
    await nextTick();
    return view;
  };
  const field = (name: string) => document.querySelector<HTMLInputElement>(`#new-model-${name}`)!;
  const type = async (name: string, text: string) => {
    field(name).value = text;
    field(name).dispatchEvent(new Event('input'));
    field(name).dispatchEvent(new Event('change'));
    await nextTick();
  };
  const fault = (name: string) => document.querySelector(`#new-model-${name}-fault`)?.textContent ?? '';

  it('says at the field what is wrong, and takes it back once it is right', async () => {
    const view = await open();
    await type('dims', 'many');
    expect(fault('dims')).toContain('from 1 to 4096');
    expect(field('dims').getAttribute('aria-invalid')).toBe('true');
    expect(field('dims').getAttribute('aria-describedby')).toBe('new-model-dims-fault');
    await type('dims', '384');
    expect(fault('dims')).toBe('');
    view.unmount();
  });

  it('sends nothing that is wrong, and leads to the first fault', async () => {
    const view = await open();
    for (const [name, text] of [['id', 'mine'], ['source', 'model.onnx'], ['tokenizer_source', '/srv/vocab.txt']] as const) await type(name, text);
    document.querySelector('form')!.dispatchEvent(new Event('submit', { cancelable: true }));
    await nextTick();
    await nextTick();
    expect(fault('source')).toContain('https://');
    expect(document.activeElement).toBe(field('source'));
    expect(view.emitted('added')).toBeUndefined();
    view.unmount();
  });

  it('keeps what was typed', async () => {
    (await open()).unmount();
    const view = await open();
    await type('label', 'of the house');
    view.unmount();
    const again = await open();
    expect(field('label').value).toBe('of the house');
    again.unmount();
  });
});
