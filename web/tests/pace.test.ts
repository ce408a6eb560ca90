// SPDX-License-Identifier: MIT
// What is said of the pace of requests is of the time that it names.
import { describe, expect, it } from 'vitest';

import { addPoint, countOf, stepsOf, type Point } from '../src/components/agents/pace';

const all = (...points: [at: number, requests: number][]) => points.reduce<Point[]>((list, [at, requests]) => addPoint(list, { at, requests }), []);

describe('the pace of requests', () => {
  it('is not told before there is a time that it is of', () => {
    expect(countOf([])).toBeNull();
    expect(countOf(all([1000, 400]))).toBeNull();
  });

  it('counts what came within the last minute, and says how long that is', () => {
    expect(countOf(all([0, 100], [2000, 104], [4000, 110]))).toEqual({ requests: 10, seconds: 4 });
    expect(countOf(all([0, 100], [30_000, 130], [61_000, 150]))).toEqual({ requests: 20, seconds: 31 });
  });

  it('begins anew with the server', () => {
    expect(countOf(all([0, 900], [2000, 910], [4000, 3], [6000, 5]))).toEqual({ requests: 2, seconds: 2 });
  });

  it('has a step for each two of them', () => {
    expect(stepsOf(all([0, 0], [2000, 4], [4000, 4]))).toEqual([2, 0]);
  });
});
