// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest';

import { ago, bytes, count, ms, plural, seconds } from '../src/composables/format';

describe('numbers as people read them', () => {
  test('sizes', () => {
    expect([0, 1, 1023, 1024, 1_310_720, 2_684_354_560].map(bytes)).toEqual(['0 bytes', '1 byte', '1023 bytes', '1.0 KiB', '1.3 MiB', '2.5 GiB']);
    expect(bytes(null)).toBe('–');
  });
  test('times', () => {
    expect([0.123, 5.25, 12.4, 1500].map(ms)).toEqual(['0.12 ms', '5.3 ms', '12 ms', '1.5 s']);
    expect([59.4, 61, 3660, 90_000].map(seconds)).toEqual(['59 s', '1 min 1 s', '1 h 1 min', '1 d 1 h']);
  });
  test('counts', () => {
    expect(count(1234567)).toBe('1,234,567');
    expect([plural(1, 'file'), plural(0, 'file'), plural(2, 'entry', 'entries')]).toEqual(['1 file', '0 files', '2 entries']);
  });
  test('how long ago', () => {
    const now = Date.parse('2026-01-02T12:00:00Z');
    expect(ago('2026-01-02T11:59:30Z', now)).toBe('just now');
    expect(ago('2026-01-02T11:57:00Z', now)).toBe('3 minutes ago');
    expect(ago('2026-01-01T12:00:00Z', now)).toBe('yesterday');
    expect(ago(null, now)).toBe('never');
  });
});
