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

describe('every view', () => {
  const lab = new Lab();
  before(() => lab.open());
  after(() => lab.close());

  for (const theme of THEMES)
    for (const size of SIZES)
      test(`${theme}, ${size[0]} pixels`, async () => {
        const page = await lab.tab({ size, theme });
        const wrong = [];
        for (const [view, query] of [...VIEWS.map((v) => [v, SHOWN[v]]), ...DIALOGS]) {
          await page.goto(lab.address(view, query));
          await settle(page);
          const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          if (wider > 0) wrong.push(`${view}: wider than the screen by ${wider}`);
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
