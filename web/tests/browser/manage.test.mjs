// SPDX-License-Identifier: MIT
// Projects, their indexes and models, numbers, agents and settings: what a person does there, against a real server.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { HOSTILE, Lab, settle, SIZES } from './lab.mjs';

/** The server's policy lets no text be run, so what is waited for is asked again and again. */
async function until(page, f, wanted) {
  for (let tries = 0; tries < 150; tries++) {
    if (await page.evaluate(f, wanted)) return;
    await page.waitForTimeout(100);
  }
  assert.fail(`never came: ${f}`);
}
const isRefusal = (line) => /Failed to load resource/.test(line);

/** A model that comes slowly, so that its download can be seen. */
async function serveModel() {
  const server = createServer(async (request, response) => {
    if (request.url.endsWith('vocab.txt')) return response.end(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'a', 'b'].join('\n'));
    response.writeHead(200, { 'Content-Length': 40 * 100_000 });
    for (let i = 0; i < 40 && !response.destroyed; i++) {
      response.write(Buffer.alloc(100_000, 120));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** An agent that speaks MCP over HTTP. */
class Agent {
  constructor(url, name) {
    this.url = url;
    this.name = name;
  }

  async send(message) {
    const answer = await fetch(this.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...(this.session ? { 'Mcp-Session-Id': this.session } : {}) },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    this.session ??= answer.headers.get('mcp-session-id');
    const text = await answer.text();
    return text ? JSON.parse(text.replace(/^[\s\S]*?data: /, '')).result : undefined;
  }

  async open() {
    await this.send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: this.name, version: '3.1' } } });
    await this.send({ method: 'notifications/initialized' });
    return this;
  }

  call(name, args) {
    return this.send({ id: 2, method: 'tools/call', params: { name, arguments: args } });
  }

  async tools() {
    return (await this.send({ id: 3, method: 'tools/list' })).tools.map((t) => t.name);
  }
}

describe('management', () => {
  const lab = new Lab();
  let page;
  before(async () => {
    await lab.open();
    page = await lab.tab({ size: [1280, 900] });
  });
  after(() => lab.close());
  const said = () => assert.deepEqual(page.said.splice(0), []);
  const dialog = () => page.getByRole('dialog');

  test('a folder is walked to by keys, what patterns match is shown, and a reload loses nothing', async () => {
    const root = join(lab.box, 'walk', 'inner');
    mkdirSync(join(root, 'src'), { recursive: true });
    for (const name of ['a.py', 'b.py', 'c.py']) writeFileSync(join(root, 'src', name), 'x = 1\n');
    writeFileSync(join(root, 'notes.md'), '# Notes\n');
    await page.goto(`${lab.url}/projects`);
    await settle(page);
    await page.keyboard.press('n');
    const folder = dialog().getByLabel(/^Folder/).first();
    await folder.fill(join(lab.box, 'wal')); // the beginning of a name
    await dialog().getByRole('button', { name: 'walk' }).waitFor();
    await folder.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until(page, (wanted) => document.querySelector('[role=dialog] input')?.value === wanted, join(lab.box, 'walk'));
    await dialog().getByRole('button', { name: 'inner' }).click();
    await dialog().getByText('Which files of it').click();
    await dialog().getByText('4 files').waitFor();
    await dialog().getByLabel(/^Include/).fill('src/**');
    await dialog().getByText('3 files').waitFor();
    await page.reload();
    await dialog().getByText('3 files').waitFor();
    assert.equal(await dialog().getByLabel(/^Folder/).first().inputValue(), root);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    assert.doesNotMatch(page.url(), /add=/);
    said();
  });

  test('cards or a table, a filter and an order are in the address', async () => {
    await page.goto(`${lab.url}/projects`);
    await page.getByRole('heading', { name: 'shop' }).waitFor();
    await page.keyboard.press('v');
    await page.getByRole('button', { name: 'Files' }).click();
    await page.getByRole('searchbox', { name: 'Filter' }).fill('sho');
    assert.match(page.url(), /layout=table/);
    assert.match(page.url(), /sort=files/);
    await page.reload();
    await page.getByRole('rowheader', { name: /shop/ }).waitFor();
    await page.getByRole('searchbox', { name: 'Filter' }).fill('no such thing');
    await page.getByText('No project is like that').waitFor();
    said();
  });

  test('two tabs that edit one project do not overwrite each other', async () => {
    await page.goto(`${lab.url}/projects?edit=${lab.project}`);
    await dialog().getByLabel('Name').and(page.locator(':focus')).waitFor(); // its fields come after it
    await dialog().getByLabel('Name').fill('mine');
    await lab.api('update_project', { project: lab.project, name: 'theirs' });
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await dialog().getByRole('alert').getByText(/theirs/).waitFor();
    assert.equal((await lab.api('list_projects', {})).projects[0].name, 'theirs');
    await dialog().getByRole('button', { name: 'Take theirs' }).click();
    await dialog().getByLabel('Name').fill('shop');
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'shop' }).waitFor();
    said();
  });

  test('the footer counts a project as soon as it comes, is indexed and goes', async () => {
    const root = join(lab.box, 'counted');
    mkdirSync(root);
    for (const name of ['one', 'two', 'three']) writeFileSync(join(root, `${name}.py`), 'x = 1\n');
    const tab = await lab.tab();
    // Without the question of every five seconds.
    await tab.addInitScript(() => {
      const set = window.setInterval;
      window.setInterval = (f, ms, ...more) => set(f, ms === 5000 ? 2 ** 30 : ms, ...more);
    });
    const { total, files } = await lab.api('stats', { all: true });
    const footer = (projects, n) => tab.locator('footer').getByText(new RegExp(`^\\s*${projects} projects? ·\\s*${n} files`)).waitFor();
    await tab.goto(`${lab.url}/projects?add=folder`);
    await footer(total, files);
    await tab.getByRole('dialog').getByLabel(/^Folder/).first().fill(root);
    await tab.getByRole('dialog').getByRole('button', { name: 'Add and index' }).click();
    await footer(total + 1, files + 3);
    await tab.getByRole('button', { name: 'More of counted' }).click();
    await tab.getByRole('menuitem', { name: 'Delete…' }).click();
    await tab.getByRole('dialog').getByRole('textbox').fill('counted');
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await footer(total, files);
    assert.deepEqual(tab.said, []);
    await tab.context().close();
  });

  test('a project is archived, and that is taken back', async () => {
    await page.goto(`${lab.url}/projects`);
    await page.getByRole('button', { name: 'More of shop' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.getByRole('heading', { name: 'shop' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'shop' }).waitFor();
    assert.notEqual((await lab.api('list_projects', {})).projects[0].status, 'archived');
    said();
  });

  test('a remote that is not there says so, and nothing typed is lost', async () => {
    await page.goto(`${lab.url}/projects?add=remote`);
    await dialog().getByLabel('Address', { exact: true }).fill('https://127.0.0.1:9/no/such');
    await dialog().getByRole('button', { name: 'Clone and index' }).click();
    await dialog().getByRole('alert').getByText(/does not reach it.*see whether the address is right/).waitFor();
    const address = dialog().getByLabel('Address', { exact: true });
    assert.equal(await address.inputValue(), 'https://127.0.0.1:9/no/such');
    assert.equal(await address.getAttribute('aria-invalid'), 'true');
    assert.ok(await address.evaluate((e) => e === document.activeElement && document.getElementById(e.getAttribute('aria-describedby'))?.getAttribute('role') === 'alert'));
    await dialog().getByLabel('Address', { exact: true }).fill('https://me:secret@host/repository');
    assert.ok(await dialog().getByRole('button', { name: 'Clone and index' }).isDisabled());
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(page.said.splice(0).filter((l) => !isRefusal(l)), []);
  });

  test('an index is brought up to date, and what changed, what was left out and how it went are told', async () => {
    await page.goto(lab.address('indexing')); // other views would take in what changes
    writeFileSync(join(lab.root, 'src', 'new.py'), 'def brand_new():\n    return 1\n');
    writeFileSync(join(lab.root, `data ${HOSTILE}.bin`), Buffer.from([0, 1, 2, 0, 255]));
    await page.reload();
    await page.getByText(/1 change|2 changes/).first().waitFor();
    // What is in the index and what is found for it are told apart, and shares say of what.
    const { files } = await lab.api('get_repo_status', { project: lab.project });
    await page.getByRole('region', { name: 'Freshness' }).getByText(new RegExp(`Files in the index\\s*${files}\\b`)).first().waitFor();
    const scope = page.getByRole('region', { name: 'Scope' });
    // Each file that is found is in the index, was left out as it was read, or is new.
    const found = Number.parseInt(await scope.getByText(/^\d+ files? found/).innerText(), 10);
    const parts = await scope.getByRole('list', { name: 'What became of the files that are found' }).getByRole('listitem').allInnerTexts();
    assert.deepEqual([parts[0], parts.at(-1)], [`${files} in the index`, '1 not read yet: the next run reads them']);
    assert.equal(parts.reduce((sum, text) => sum + Number.parseInt(text, 10), 0), found);
    await scope.getByText(/^Besides these, not looked into: \d+ files? or folders? left out by name, size or pattern/).waitFor();
    await scope.getByRole('list', { name: 'Languages, by files' }).getByText('Of the files').waitFor();
    await page.getByRole('button', { name: 'Index now' }).click();
    await page.getByRole('heading', { name: 'Last run' }).waitFor();
    await page.getByText('Nothing has changed since the last run.').waitFor();
    await page.getByRole('tab', { name: 'Jobs' }).click();
    await page.getByRole('row', { name: /Index.*done/ }).waitFor();
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByRole('row', { name: /added.*src\/new\.py/ }).waitFor();
    await page.getByRole('tab', { name: 'Left out' }).click();
    await page.getByRole('button', { name: /^binary/ }).click();
    await page.getByRole('row', { name: /data .*binary/ }).waitFor();
    assert.match(page.url(), /list=skipped/);
    assert.match(page.url(), /reason=binary/);
    assert.equal(await page.locator('main img').count(), 0);
    said();
  });

  test('lists are in sight on a small screen, and files that were parsed with gaps are one of them', async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.goto(lab.address('indexing'));
    const n = (await lab.api('get_repo_status', { project: lab.project })).files_with_syntax_errors;
    assert.ok(n > 0);
    const tab = page.getByRole('tab', { name: 'Left out' });
    await tab.waitFor();
    assert.ok((await tab.boundingBox()).y < 300);
    for (const name of ['Check again', 'Index all anew', 'Index now']) assert.ok((await page.getByRole('button', { name, exact: true }).getAttribute('title')).length > 20, name);
    const fact = (name) => page.getByRole('region', { name: 'Freshness' }).locator('dl > div', { hasText: name });
    await fact('Checked').getByText(/\d+:\d+:\d+/).waitFor();
    const left = Object.values((await lab.api('get_repo_status', { project: lab.project })).skipped).reduce((a, b) => a + b, 0);
    await fact('Left out').getByRole('link', { name: new RegExp(`^${left} file`) }).waitFor();
    await fact('Parsed with gaps').getByRole('link').click();
    await page.getByText(new RegExp(`^${n} of ${n} file`)).waitFor();
    await page.getByRole('link', { name: 'long.c', exact: true }).click();
    await page.waitForURL(/outline\?.*file=long\.c/);
    await page.setViewportSize(size);
    said();
  });

  test('what the index is limited to is changed, and the run after it keeps to that', async () => {
    await page.goto(lab.address('indexing', { edit: '1' }));
    await dialog().getByLabel(/^Exclude/).fill('odd/**\nlong.c');
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Scope' }).getByText('odd/**').waitFor();
    await until(page, async (project) => {
      const answer = await fetch('/api/v1/get_repo_status', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ project }) });
      return !(await answer.json()).languages.some((l) => l.language === 'c');
    }, lab.project);
    await lab.api('update_project', { project: lab.project, exclude_patterns: [] });
    await lab.api('index_repository', { repo_path: lab.root });
    said();
  });

  test('a model is downloaded with its progress, cancelled, and downloaded again', async (t) => {
    const models = await serveModel();
    t.after(() => {
      models.closeAllConnections();
      models.close();
    });
    const from = `http://127.0.0.1:${models.address().port}`;
    lab.ken('model', 'add', 'slow-one', '--source', `${from}/model.onnx`, '--tokenizer', `${from}/vocab.txt`, '--label', HOSTILE);
    await page.goto(lab.address('indexing'));
    const catalog = page.getByRole('region', { name: /^Model/ });
    await catalog.getByRole('button', { name: /^All/ }).click();
    const slow = catalog.getByRole('listitem').filter({ hasText: 'slow-one' }).first();
    await slow.getByRole('button', { name: 'Download' }).click();
    const bar = dialog().getByRole('progressbar');
    await until(page, () => Number(document.querySelector('[role=dialog] [role=progressbar]')?.getAttribute('aria-valuenow')) > 5);
    await bar.waitFor();
    await dialog().getByRole('button', { name: 'Cancel the download' }).click();
    await dialog().getByRole('button', { name: 'Try again' }).click();
    await dialog().getByRole('button', { name: 'Go on in the background' }).click();
    await slow.getByText(/ready|needs ONNX Runtime/).waitFor();
    said();
  });

  test('a custom model is added, refused at its field, and removed once no project uses it', async (t) => {
    const serveWith = async (more) => {
      await page.goto('about:blank');
      await lab.stop();
      lab.env = { ...usual, ...more };
      await lab.serve(lab.port);
      await page.goto(lab.address('indexing'));
      await catalog.getByRole('button', { name: /^All/ }).click();
    };
    const usual = lab.env;
    t.after(() => (lab.env = usual));
    await page.goto(lab.address('indexing'));
    const catalog = page.getByRole('region', { name: /^Model/ });
    await catalog.getByRole('button', { name: 'Add custom model' }).click();
    const field = (name) => dialog().getByLabel(name);
    assert.ok(await dialog().getByRole('button', { name: 'Add it' }).isDisabled());
    await field(/^Name/).fill('all-MiniLM-L6-v2');
    await field(/^model\.onnx/).fill('/srv/models/mine/model.onnx');
    await field(/^Tokenizer/).fill('vocab.txt');
    await field(/^Licence/).fill('Apache-2.0');
    await field(/^Dimensions/).fill('many');
    await field(/^Memory/).fill('300');
    await dialog().getByRole('button', { name: 'Add it' }).click();
    await dialog().getByText('A whole number from 1 to 4096.').waitFor();
    await dialog().getByText(/a path that begins with/).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'new-model-tokenizer_source');
    await field(/^Tokenizer/).fill('/srv/models/mine/vocab.txt');
    await field(/^Dimensions/).fill('384');
    await page.reload(); // nothing typed is lost
    assert.equal(await field(/^Tokenizer/).inputValue(), '/srv/models/mine/vocab.txt');
    await dialog().getByRole('button', { name: 'Add it' }).click();
    await dialog().getByText(/there is a model 'all-MiniLM-L6-v2' already/).waitFor();
    assert.equal(await field(/^Name/).getAttribute('aria-invalid'), 'true');
    await field(/^Name/).fill('mine');
    await dialog().getByRole('button', { name: 'Add it' }).click();
    await page.getByText('mine is in the list').waitFor();
    const mine = catalog.getByRole('listitem').filter({ has: page.getByText('mine', { exact: true }) }).first();
    for (const badge of ['384 dims', 'licence: Apache-2.0', '300.0 MiB memory', 'not downloaded', 'added']) await mine.getByText(badge).waitFor();
    assert.equal((await lab.api('list_models', {})).models.find((m) => m.id === 'mine').ram_bytes, 300 * 1024 * 1024);

    await serveWith({ KEN_EMBEDDING_PROVIDER: 'onnx', KEN_EMBEDDING_MODEL: 'mine' });
    await mine.getByRole('button', { name: 'Remove mine' }).click();
    await dialog().getByRole('button', { name: 'Remove it' }).click();
    await dialog().getByRole('alert').getByText(/used by the project 'shop'/).waitFor();
    await serveWith({});
    await mine.getByRole('button', { name: 'Remove mine' }).click();
    await dialog().getByRole('button', { name: 'Remove it' }).click();
    await dialog().waitFor({ state: 'detached' });
    await mine.waitFor({ state: 'detached' });
    assert.ok(!(await lab.api('list_models', {})).models.some((m) => m.id === 'mine'));
    // What came with ken has a licence, too.
    const known = catalog.getByRole('listitem').filter({ hasText: 'bge-small-en-v1.5' }).first();
    await known.getByText('licence: MIT').waitFor();
    assert.equal(await known.getByRole('button', { name: /^Remove/ }).count(), 0);
    assert.deepEqual(page.said.splice(0).filter((l) => !isRefusal(l)), []);
  });

  test('numbers are as the API has them, and plots can be read as tables', async () => {
    const stats = await lab.api('stats', { project: lab.project });
    const asked = [];
    const note = (r) => /\/api\/v1\//.test(r.url()) && asked.push({ at: Date.now(), what: `${r.url()} ${r.postData() ?? ''}` });
    page.on('request', note);
    await page.goto(lab.address('stats'));
    await page.getByText(stats.symbols.toLocaleString('en-US'), { exact: true }).first().waitFor();
    await page.getByRole('region', { name: 'Caches', exact: true }).waitFor();
    await page.waitForTimeout(300);
    page.off('request', note);
    // Nothing is asked twice when the view opens; the footer asks again after five seconds.
    const atFirst = asked.filter((a) => a.at < asked[0].at + 4000).map((a) => a.what);
    assert.ok(atFirst.some((what) => /stats .*"all":true/.test(what)), atFirst.join('\n'));
    assert.deepEqual(atFirst.filter((what, i) => atFirst.indexOf(what) < i), []);
    await page.getByRole('button', { name: 'Bytes' }).click();
    assert.match(page.url(), /by=bytes/);
    await page.getByRole('row', { name: /python/ }).first().waitFor();
    await page.getByRole('region', { name: 'Table of all projects' }).getByRole('link', { name: 'shop' }).waitFor();
    await page.getByRole('button', { name: 'Ask again' }).click();
    for (const title of ['What the index holds', 'Bytes', 'Languages']) await page.getByRole('figure').filter({ hasText: title }).first().locator('canvas').waitFor();
    // What is called the same is the same above and in the plot.
    const searched = (await page.locator('.figures > div', { hasText: 'Searched in' }).locator('dd').innerText()).trim();
    const bytes = page.getByRole('figure').filter({ hasText: 'of the source and its index on disk' });
    assert.match(await bytes.getByRole('listitem', { includeHidden: true }).filter({ hasText: 'searched in' }).innerText(), new RegExp(`${searched}$`));
    // The plot of caches ends with what their table says of all of them.
    const rate = page.getByRole('region', { name: 'Caches' }).getByRole('row', { name: /^all/ }).getByRole('cell').first();
    const plotted = page.getByRole('figure').filter({ hasText: 'Caches' }).getByRole('listitem', { includeHidden: true }).first();
    assert.equal((await plotted.innerText()).replace('since the server began', '').trim(), await rate.innerText());
    const languages = page.getByRole('figure').filter({ hasText: 'Languages' }).first();
    await languages.getByRole('button', { name: 'Table' }).click();
    await languages.getByRole('columnheader', { name: 'python' }).waitFor();
    const requests = page.getByRole('figure').filter({ hasText: 'Requests' }).first();
    await requests.locator('canvas').waitFor(); // a point comes every ten seconds
    await requests.getByRole('button', { name: 'Table' }).click();
    await requests.getByRole('region', { name: 'Requests as a table' }).getByRole('row').nth(1).waitFor();
    said();
  });

  test('what an agent asks is seen at once, with its client, its project and why it failed', async () => {
    await page.goto(`${lab.url}/agents`);
    await page.getByText('No agent has called a tool since the server began.').waitFor();
    // What the page asks is HTTP, and said to be of the time that it is of.
    const server = page.getByRole('region', { name: 'Server' });
    const lately = /^(\d+) HTTP requests? in the last (\d+) s$/.exec(await server.getByText(/in the last \d+ s$/).innerText());
    const total = Number((await server.locator('.facts > div', { hasText: 'HTTP requests' }).locator('dd').innerText()).replaceAll(',', ''));
    assert.ok(Number(lately[1]) <= total, `${lately[0]} of ${total}`);
    const agent = await new Agent(`${lab.url}/mcp`, 'robot <b>').open();
    await agent.call('search_code', { query: 'retry', project: 'shop' });
    const requests = page.getByRole('region', { name: 'Table of tool calls' });
    await requests.getByRole('row', { name: /search_code.*robot <b>\/3\.1.*shop/ }).waitFor();
    await page.getByRole('region', { name: 'Table of clients' }).getByText('robot <b>').waitFor();
    await agent.call('get_definition', { symbol_name: 'x', project: 'nowhere' });
    await requests.getByText(/no project 'nowhere'/).waitFor();
    await page.getByLabel('Failed ones').check();
    await requests.getByText('search_code').waitFor({ state: 'detached' });
    await page.getByLabel('Failed ones').uncheck();
    await page.getByRole('button', { name: 'Pause' }).click();
    await agent.call('search_code', { query: 'load', project: 'shop' });
    await page.getByText('1 wait').waitFor();
    assert.equal(await requests.getByText('search_code').count(), 1);
    await page.getByRole('button', { name: 'Go on' }).click();
    await until(page, () => document.querySelectorAll('[aria-label="Table of tool calls"] tbody tr').length === 3);
    await page.reload(); // the server keeps the last ones
    await until(page, () => document.querySelectorAll('[aria-label="Table of tool calls"] tbody tr').length === 3);
    // On every screen all of a call, of a client and of the tabs is seen, without going sideways.
    const size = page.viewportSize();
    for (const [width, height] of [...SIZES, [1280, 900]]) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      const cut = await page.evaluate(() => {
        const boxes = [document.querySelector('main'), ...document.querySelectorAll('main [role=region], main [role=tablist]')];
        return boxes.filter((e) => e.scrollWidth > e.clientWidth).map((e) => `${e.getAttribute('aria-label') ?? e.tagName}: ${e.scrollWidth} of ${e.clientWidth}`);
      });
      assert.deepEqual(cut, [], `${width} pixels`);
      await requests.getByRole('row', { name: /search_code.*robot <b>\/3\.1.*shop/ }).first().waitFor();
      await requests.getByText(/no project 'nowhere'/).waitFor();
    }
    await page.setViewportSize(size);
    said();
  });

  test('a tool that is switched off is offered no more, until that is taken back', async () => {
    const agent = await new Agent(`${lab.url}/mcp`, 'switcher').open();
    await page.goto(`${lab.url}/agents`);
    await page.getByRole('button', { name: /^Tools/ }).click();
    const tool = page.getByRole('switch', { name: 'checkpoint_save' });
    await until(page, () => document.activeElement.id === 'tools-title' && [...document.querySelectorAll('[role=switch]')].at(-1).getBoundingClientRect().bottom <= innerHeight);
    await page.getByRole('button', { name: 'Switch off all of Checkpoints' }).waitFor();
    await tool.click();
    await page.getByText('checkpoint_save no longer offered').waitFor();
    assert.ok(!(await agent.tools()).includes('checkpoint_save'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(page, () => document.querySelector('[role=switch][aria-label=checkpoint_save]')?.getAttribute('aria-checked') === 'true');
    // The switch is on before the server has heard of it.
    for (let tries = 0; tries < 50 && !(await agent.tools()).includes('checkpoint_save'); tries++) await page.waitForTimeout(100);
    assert.ok((await agent.tools()).includes('checkpoint_save'));
    said();
  });

  test('what is copied to connect a client has the address of this server, and of the project', async () => {
    await page.goto(`${lab.url}/agents`);
    await page.getByRole('combobox', { name: 'For' }).selectOption({ label: 'only shop' });
    await page.getByRole('button', { name: 'Copy: Command' }).click();
    assert.ok(await page.locator('.copy pre').evaluateAll((all) => all.every((e) => e.scrollWidth <= e.clientWidth)), 'a command is cut off');
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(command, `claude mcp add --transport http ken ${lab.url}/mcp/shop`);
    const bound = await new Agent(command.split(' ').at(-1), 'bound').open();
    assert.match(JSON.stringify(await bound.call('search_code', { query: 'retry' })), /store\.py/);
    said();
  });

  test('a setting is found, changed, refused, taken back, and not overwritten unseen', async () => {
    await page.goto(`${lab.url}/settings?q=search.limit`);
    const row = page.locator('.setting').filter({ hasText: 'search.limit' });
    const field = row.getByRole('textbox');
    await row.getByRole('button', { name: 'Change search.limit' }).click();
    await field.fill('9999');
    await field.press('Enter');
    await row.getByRole('alert').waitFor();
    await field.fill('25');
    await field.press('Enter');
    await page.getByText('search.limit is 25').waitFor();
    assert.match(lab.ken('config', 'show'), /search\.limit.*25/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('search.limit is 10').waitFor();
    await row.getByRole('button', { name: 'Change search.limit' }).click();
    await lab.api('change_setting', { key: 'search.limit', value: '33' });
    await field.fill('12');
    await field.press('Enter');
    await row.getByRole('alert').getByText(/33/).waitFor();
    assert.match(lab.ken('config', 'show'), /search\.limit.*33/);
    await lab.api('change_setting', { key: 'search.limit' });
    assert.deepEqual(page.said.splice(0).filter((l) => !isRefusal(l)), []);
  });

  test('theme and contrast are the page’s own, and stay', async () => {
    await page.goto(`${lab.url}/settings`);
    await page.getByRole('group', { name: 'Contrast' }).getByLabel('More').check();
    await page.getByRole('group', { name: 'Theme' }).getByLabel('Dark').check();
    await page.reload();
    await until(page, () => document.documentElement.dataset.contrast === 'more' && document.documentElement.dataset.theme === 'dark');
    await page.getByRole('group', { name: 'Contrast' }).getByLabel('As the system').check();
    await page.getByRole('group', { name: 'Theme' }).getByLabel('As the system').check();
    said();
  });
});
