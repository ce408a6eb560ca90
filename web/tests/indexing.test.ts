// SPDX-License-Identifier: MIT
// How a run is shown, and lists that come in pages.
import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import { effectScope } from 'vue';

import ModelRow from '../src/components/indexing/ModelRow.vue';
import { usePages } from '../src/components/indexing/usePages';
import JobProgress from '../src/components/JobProgress.vue';
import type { Job } from '../src/composables/useJobs';

const job = (more: Partial<Job>): Job => ({
  id: '00000000-0000-4000-8000-000000000000', kind: 'index', state: 'running', progress: { done: 0, total: null, per_second: null, seconds_left: null }, message: 'indexing', cancel_requested: false, ...more,
});
const progress = (more: Partial<Job>, canCancel = false) => mount(JobProgress, { props: { job: job(more), canCancel } });

describe('the progress of a job', () => {
  it('says how far, how fast and how long still', () => {
    const view = progress({ progress: { done: 250, total: 1000, per_second: 50, seconds_left: 15 } });
    expect(view.text()).toContain('250 of 1,000 · 50 a second · 15 s left');
    expect(view.get('[role=progressbar]').attributes('aria-valuenow')).toBe('25');
  });

  it('claims no share while the total is not known', () => {
    expect(progress({ progress: { done: 12, total: null } }).get('[role=progressbar]').attributes('aria-valuenow')).toBeUndefined();
  });

  it('counts a download in bytes', () => {
    expect(progress({ kind: 'model_download', progress: { done: 5_000_000, total: 90_000_000 } }).text()).toContain('4.8 MiB of 85.8 MiB');
  });

  it('lets one cancel what runs, once, and nothing that is over', () => {
    expect(progress({}, true).get('button').attributes('disabled')).toBeUndefined();
    expect(progress({ cancel_requested: true }, true).get('button').attributes('disabled')).toBeDefined();
    expect(progress({ state: 'done' }, true).find('button').exists()).toBe(false);
  });

  it('shows a message of others as text', () => {
    const view = progress({ message: '<img src=x onerror=alert(1)>' });
    expect(view.find('img').exists()).toBe(false);
    expect(view.text()).toContain('<img src=x onerror=alert(1)>');
  });
});

describe('a model', () => {
  const model = (more: object) => mount(ModelRow, { props: { model: { id: 'mini', provider: 'onnx', dims: 384, languages: 'en', size_bytes: 90_387_606, code_quality: 'low', ...more } as never, isUsed: false, isBusy: false } });

  it('tells what helps to choose', () => {
    const text = model({ status: 'ready' }).text();
    for (const badge of ['384 dims', 'en', '86.2 MiB', 'code: low', 'ready']) expect(text).toContain(badge);
  });

  it('says under which licence it is, and that this is not known', () => {
    expect(model({ status: 'pending', license: 'Apache-2.0' }).text()).toContain('licence: Apache-2.0');
    expect(model({ status: 'pending', license: '' }).text()).toContain('licence unknown');
  });

  it('can be removed where there is something to remove', () => {
    const canRemove = (more: object) => model({ id: 'mini', ...more }).find('[aria-label="Remove mini"]').exists();
    expect(canRemove({ status: 'pending', is_preloaded: false })).toBe(true);
    expect(canRemove({ status: 'pending', is_preloaded: true })).toBe(false);
    expect(canRemove({ status: 'ready', is_preloaded: true })).toBe(true);
    expect(canRemove({ status: 'ready', is_preloaded: true, provider: 'builtin' })).toBe(false);
  });

  it('is downloaded before it can be used', () => {
    expect(model({ status: 'pending' }).get('button').text()).toBe('Download');
    expect(model({ status: 'ready' }).get('button').text()).toBe('Use');
  });

  it('cannot be used without what runs it, and says so', () => {
    const view = model({ status: 'no runtime', status_reason: 'libonnxruntime.so was not found' });
    expect(view.get('button').attributes('disabled')).toBeDefined();
    expect(view.text()).toContain('libonnxruntime.so was not found');
  });
});

describe('a list in pages', () => {
  const pages = (total: number, size: number) => effectScope().run(() => usePages<number>((offset) => Promise.resolve({ rows: Array.from({ length: Math.min(size, total - offset) }, (_, i) => offset + i), next: offset + size < total ? offset + size : undefined, total })))!;

  it('adds what follows, and ends', async () => {
    const list = pages(25, 10);
    await list.first();
    await list.more();
    await list.more();
    expect(list.rows.value).toEqual(Array.from({ length: 25 }, (_, i) => i));
    expect(list.next.value).toBeUndefined();
  });

  it('never holds more rows than a page can bear', async () => {
    const list = pages(1_000_000, 1000);
    await list.first();
    while (list.next.value) await list.more();
    expect(list.rows.value).toHaveLength(5000);
  });
});
