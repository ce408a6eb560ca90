// SPDX-License-Identifier: MIT
// A server that is gone and comes back, a line that loses what passes, calls that fail, tokens that end.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { BadLine, Lab, settle, VIEWS } from './lab.mjs';

// A browser tells of each request that failed; everything else it says is a fault of the page.
const isExpected = (line) => /Failed to load resource|net::ERR_/.test(line);
const unexpected = (page) => page.said.splice(0).filter((line) => !isExpected(line));

describe('faults', () => {
  const lab = new Lab();
  before(() => lab.open());
  after(() => lab.close());

  test('the server is killed and comes back: the page says so, and goes on by itself', async () => {
    const page = await lab.tab();
    await page.goto(lab.address('search', { q: 'retry' }));
    await page.locator('article').first().waitFor();
    const port = lab.port;
    await lab.stop('SIGKILL');
    await page.getByText('The server does not answer').first().waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('handle');
    await page.getByRole('alert').waitFor();
    await lab.serve(port);
    await page.getByText('The server does not answer').first().waitFor({ state: 'detached' });
    await page.locator('article').filter({ hasText: 'handle' }).first().waitFor();
    assert.deepEqual(unexpected(page), []);
    await page.context().close();
  });

  test('a line that loses a twentieth of what passes', async () => {
    const line = new BadLine(lab.port, 0.05);
    const port = await line.open();
    const page = await lab.tab();
    const base = `http://127.0.0.1:${port}`;
    for (const view of ['search', 'outline', 'tasks', 'stats']) {
      // A page whose script was lost is asked for again, as a person does.
      for (let tries = 0; ; tries++) {
        try {
          await page.goto(`${base}/${view}?${new URLSearchParams({ project: lab.project, ...(view === 'search' ? { q: 'retry' } : {}) })}`);
          await page.locator('main').waitFor({ timeout: 5000 });
          break;
        } catch (e) {
          if (tries > 5) throw e;
        }
      }
      await page.waitForTimeout(1500);
      const again = page.getByRole('button', { name: 'Try again' });
      for (let tries = 0; tries < 10 && (await again.count()); tries++) {
        await again.first().click();
        await page.waitForTimeout(500);
      }
      assert.equal(await again.count(), 0, `${view} does not recover`);
    }
    assert.deepEqual(unexpected(page).filter((l) => !/dynamically imported|preload/.test(l)), []);
    line.close();
    await page.context().close();
  });

  test('whichever call fails, each view says what happened', async () => {
    const page = await lab.tab();
    await page.route('**/api/v1/**', (route) =>
      route.request().url().includes('/events')
        ? route.continue()
        : route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify({ title: 'Broken', detail: 'the disk is on fire', code: 'EIO' }) }));
    for (const view of VIEWS) {
      await page.goto(lab.address(view, view === 'search' ? { q: 'x' } : {}));
      await settle(page);
      if (view !== 'settings' && view !== 'agents') await page.getByText('the disk is on fire').first().waitFor();
    }
    assert.deepEqual(unexpected(page), []);
    await page.context().close();
  });

  test('one call after another fails alone, and the view keeps the rest', async () => {
    const page = await lab.tab();
    for (const view of VIEWS) {
      const seen = new Set();
      const note = (r) => /\/api\/v1\/(?!events)/.test(r.url()) && seen.add(new URL(r.url()).pathname);
      page.on('request', note);
      await page.goto(lab.address(view, view === 'search' ? { q: 'retry' } : view === 'outline' || view === 'chunks' ? { file: 'src/store.py' } : {}));
      await settle(page);
      page.off('request', note);
      for (const path of seen) {
        await page.route(`**${path}*`, (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"detail":"not now","code":"EBUSY"}' }));
        await page.reload();
        await settle(page);
        assert.ok((await page.locator('main').innerText()).length > 0 || path.includes('list_projects'), `${view} is empty when ${path} fails`);
        await page.unroute(`**${path}*`);
      }
    }
    assert.deepEqual(unexpected(page), []);
    await page.context().close();
  });
});

describe('a server that wants a token', () => {
  const lab = new Lab();
  let token;
  before(async () => {
    lab.api = async () => ({ projects: [{ id: '' }] });
    await lab.open({ words: ['--require-token'], first: () => (token = lab.ken('token', 'add', 'page', '--scope', 'read,write').match(/ken_\S+/)[0]) });
  });
  after(() => lab.close());

  test('it is asked for, a wrong one is refused, the right one is kept for the tab, a revoked one is told', async () => {
    const page = await lab.tab();
    await page.goto(`${lab.url}/projects`);
    const dialog = page.getByRole('dialog', { name: 'Access token' });
    await dialog.getByLabel('Token').fill('ken_nonsense');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByText(/no longer takes the token/).waitFor();
    await dialog.getByLabel('Token').fill(token);
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('shop').first().waitFor();
    await page.reload();
    await page.getByText('shop').first().waitFor();
    assert.equal(await dialog.count(), 0);
    lab.ken('token', 'revoke', 'page');
    await page.reload();
    await dialog.getByText(/no longer takes the token/).waitFor();
    assert.ok(!page.url().includes(token));
    assert.deepEqual(unexpected(page), []);
  });
});
