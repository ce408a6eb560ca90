// SPDX-License-Identifier: MIT
// Colours that say different things are told apart, in each theme and contrast.
import { expect, test } from 'vitest';

import css from '../src/styles/base.css?raw';

const block = (selector: string): Record<string, string> => {
  const body = css.slice(css.indexOf(`${selector} {`)).match(/\{([^}]*)\}/)![1]!;
  return Object.fromEntries([...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map((m) => [m[1]!, m[2]!]));
};
const [light, dark] = [block(':root'), block(':root[data-theme="dark"]')];
const themes = {
  light, dark: { ...light, ...dark },
  'light, more contrast': { ...light, ...block(':root[data-contrast="more"]') },
  'dark, more contrast': { ...light, ...dark, ...block(':root[data-contrast="more"]'), ...block(':root[data-theme="dark"][data-contrast="more"]') },
};
const rgb = (hex: string) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const luminance = (hex: string) => {
  const [r, g, b] = rgb(hex).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a: string, b: string) => {
  const [dim, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
};

test.each(Object.entries(themes))('a cycle of a graph has a colour of its own: %s', (_, c) => {
  expect(contrast(c.cycle!, c.page!)).toBeGreaterThan(4.5); // it is the colour of a word, too
  for (const other of ['bad', 'warn', 'line-strong', 'accent', 'dim']) {
    const [a, b] = [rgb(c.cycle!), rgb(c[other]!)];
    expect(Math.hypot(...a.map((v, i) => v - b[i]!)), other).toBeGreaterThan(60);
  }
});

test.each(Object.entries(themes))('no two colours of a graph are one: %s', (_, c) => {
  const used = ['line-strong', 'dim', 'cycle', ...[1, 2, 3, 4, 5, 6].map((n) => `plot-${n}`)];
  for (const one of used)
    for (const other of used)
      if (one < other) expect(Math.hypot(...rgb(c[one]!).map((v, i) => v - rgb(c[other]!)[i]!)), `${one}, ${other}`).toBeGreaterThan(35);
});
