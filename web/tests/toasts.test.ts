// SPDX-License-Identifier: MIT
// How long what is said stays.
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { leaveToasts, toast, toasts } from '../src/composables/useToasts';

const texts = () => toasts.value.map((t) => t.text);
const sayAll = () => {
  toast('copied', 'good');
  toast('made', 'good', { label: 'Open', run: () => undefined });
  toast('deleted', 'good', { label: 'Undo', run: () => undefined });
  toast('failed', 'bad');
};

describe('what is said', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    toasts.value = [];
    sayAll();
  });

  it('stays longer where it can be taken back, and until it is dismissed where it went wrong', () => {
    vi.advanceTimersByTime(5000);
    expect(texts()).toEqual(['made', 'deleted', 'failed']);
    vi.advanceTimersByTime(3000);
    expect(texts()).toEqual(['deleted', 'failed']);
    vi.advanceTimersByTime(10_000);
    expect(texts()).toEqual(['failed']);
  });

  it('does not lie over the next view, unless it can be taken back or went wrong', () => {
    leaveToasts();
    expect(texts()).toEqual(['deleted', 'failed']);
  });
});
