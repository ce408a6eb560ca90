// SPDX-License-Identifier: MIT
// Every view, in both themes, from a phone to a wall: nothing on the console, nothing wider than the screen, no fault that
// axe finds (WCAG 2.2 AA).
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Lab, settle, SIZES, THEMES, VIEWS } from './lab.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.KEN_SHOTS;
// What is opened in a view, so that there is something to see.
const SHOWN = {
  search: { q: 'handle a request' }, outline: { file: 'src/server.py', line: '11' }, chunks: { file: 'src/server.py' }, graph: { symbol: 'handle', file: 'src/server.py' },
};
// What opens over a view, and is long.
const DIALOGS = [['indexing', { add: 'model' }]];

async function faults(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const result = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
    return result.violations.map((v) => `${v.id}: ${v.help}\n    ${v.nodes.slice(0, 3).map((n) => `${n.html.slice(0, 160)} ${n.failureSummary?.split('\n')[1] ?? ''}`).join('\n    ')}`);
  });
  return found;
}

/** What is wider than the room it has: the page, the view, a control that is cut off, a text of the footer. */
function tooWide(page) {
  return page.evaluate(() => {
    const wrong = [];
    const name = (e) => `${e.tagName.toLowerCase()} ${(e.getAttribute('aria-label') || e.textContent || e.className).trim().slice(0, 60)}`;
    const isSeen = (e) => e.getClientRects().length > 0 && !e.closest('.hidden') && getComputedStyle(e).visibility === 'visible';
    for (const e of [document.documentElement, document.querySelector('main')])
      if (e.scrollWidth > e.clientWidth) wrong.push(`${name(e).slice(0, 20)} is wider by ${e.scrollWidth - e.clientWidth}`);
    for (const e of document.querySelectorAll('button, input, select, textarea, summary, h1, h2')) {
      if (!isSeen(e)) continue;
      const { left, right } = e.getBoundingClientRect();
      let from = 0;
      let to = innerWidth;
      for (let p = e.parentElement; p && from > -Infinity; p = p.parentElement) {
        const how = getComputedStyle(p).overflowX;
        if (p.tagName !== 'MAIN' && /auto|scroll/.test(how)) [from, to] = [-Infinity, Infinity]; // one scrolls to it
        else if (how !== 'visible') [from, to] = [Math.max(from, p.getBoundingClientRect().left), Math.min(to, p.getBoundingClientRect().right)];
      }
      if (left < from - 1 || right > to + 1) wrong.push(`${name(e)} is cut off`);
    }
    for (const e of document.querySelectorAll('footer span:not(.hidden)')) if (isSeen(e) && e.scrollWidth > e.clientWidth + 1) wrong.push(`the footer's ${name(e)} is cut off`);
    return wrong;
  });
}

describe('every view', () => {
  const lab = new Lab();
  before(() => lab.open());
  after(() => lab.close());

  test('filters with long words stay within a phone', async () => {
    const page = await lab.tab({ size: SIZES[0] });
    const long = `${'a_rather_long_folder/'.repeat(6)}and_file.component.test.ts`;
    const wrong = [];
    for (const [view, query] of [
      ['search', { q: 'retry', directory: long, files: long, language: 'python', kind: 'function' }], ['tasks', { branch: long }], ['chunks', { filter: long }],
      ['outline', { filter: long }], ['settings', { q: long }], ['projects', { q: long, archived: '1' }], ['indexing', { list: 'skipped', reason: 'binary' }],
      ['graph', { symbol: 'handle', file: 'src/server.py', depth: '3' }], ['checkpoints', { q: long, tags: long }],
    ]) {
      await page.goto(lab.address(view, query));
      await settle(page);
      wrong.push(...(await tooWide(page)).map((f) => `${view}: ${f}`));
      if (shots) {
        mkdirSync(shots, { recursive: true });
        await page.screenshot({ path: join(shots, `${view}-long.png`) });
      }
    }
    assert.deepEqual(wrong, []);
    await page.context().close();
  });

  for (const theme of THEMES)
    for (const size of SIZES)
      test(`${theme}, ${size[0]} pixels`, async () => {
        const page = await lab.tab({ size, theme });
        const wrong = [];
        for (const [view, query] of [...VIEWS.map((v) => [v, SHOWN[v]]), ...DIALOGS]) {
          await page.goto(lab.address(view, query));
          await settle(page);
          wrong.push(...(await tooWide(page)).map((f) => `${view}: ${f}`));
          const name = await page.title();
          if (!/ – ken$/.test(name)) wrong.push(`${view}: its title is ${name}`);
          wrong.push(...(await faults(page)).map((f) => `${view}: ${f}`));
          if (shots) {
            mkdirSync(shots, { recursive: true });
            await page.screenshot({ path: join(shots, `${view}${query?.add ? '-add' : ''}-${size[0]}-${theme}.png`) });
          }
        }
        assert.deepEqual(wrong, []);
        assert.deepEqual(page.said, []);
        await page.context().close();
      });
});
