// SPDX-License-Identifier: MIT
// Outline, chunks and graph: what one does there, by pointer and by keys, and what comes back after a reload.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { HOSTILE, Lab, settle } from './lab.mjs';

const WAIT_MS = 20_000;
const query = (page) => new URL(page.url()).searchParams;
// The server's policy lets a page evaluate no text, which waitForFunction needs.
async function until(what, is) {
  const end = Date.now() + WAIT_MS;
  while (!(await is())) {
    if (Date.now() > end) assert.fail(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const tree = (page, name) => page.getByRole('tree', { name, exact: true });
const item = (page, name, text) => tree(page, name).getByRole('treeitem').filter({ hasText: text }).first();

describe('outline', () => {
  const lab = new Lab();
  let page;
  before(async () => {
    await lab.open();
    page = await lab.tab();
  });
  after(async () => {
    assert.deepEqual(page.said, []);
    await lab.close();
  });

  test('a folder is opened, a file chosen, a symbol leads to its line', async () => {
    await page.goto(lab.address('outline'));
    await item(page, 'Files', 'src').click();
    await item(page, 'Files', 'server.py').click();
    await item(page, 'Symbols', 'handle').click();
    await until('the line', () => query(page).get('line') === '11');
    await page.locator('.line.at', { hasText: 'def handle' }).waitFor();
    await page.reload();
    await page.locator('.line.at', { hasText: 'def handle' }).waitFor();
    assert.equal(await item(page, 'Files', 'server.py').getAttribute('aria-selected'), 'true');
    assert.equal(await item(page, 'Symbols', 'handle').getAttribute('aria-selected'), 'true');
  });

  test('keys walk the tree and the symbols', async () => {
    await page.goto(lab.address('outline', { file: 'src/store.py' }));
    await settleTree();
    await page.keyboard.press('j');
    await until('a symbol', () => query(page).get('line'));
    const first = Number(query(page).get('line'));
    await page.keyboard.press('j');
    await until('the next one', () => Number(query(page).get('line')) > first);
    await tree(page, 'Files').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('/');
    await page.keyboard.type('net.ts');
    await item(page, 'Files', 'web/net.ts').waitFor();
    await tree(page, 'Files').focus();
    await page.keyboard.press('Enter');
    await until('the file', () => query(page).get('file') === 'web/net.ts');
    assert.equal(query(page).get('filter'), 'net.ts');
  });

  async function settleTree() {
    await tree(page, 'Symbols').waitFor();
    await page.locator('.code .line').first().waitFor();
  }

  test('a word says what it means and where it is used', async () => {
    await page.goto(lab.address('outline', { file: 'src/store.py', line: '10' }));
    await settleTree();
    const at = await page.locator('.line', { hasText: 'return retry(' }).locator('.text').boundingBox();
    await page.mouse.click(at.x + 7.5 * 17, at.y + 9);
    const card = page.getByRole('dialog', { name: /^retry/ });
    await card.getByText('1 usage', { exact: true }).waitFor();
    await card.getByText('src/store.py:13').waitFor();
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    await page.keyboard.press('u');
    await page.getByRole('dialog', { name: /^Store.find|^find/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('a permalink shows the file as it was', async () => {
    await page.goto(lab.address('outline', { file: 'src/store.py', line: '4' }));
    await settleTree();
    await page.getByRole('button', { name: 'Copy a permalink' }).click();
    await page.getByText('Permalink copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(link, /at=[0-9a-f]{40}/);
    await page.goto(link);
    await page.locator('.line.at', { hasText: 'class Store' }).waitFor();
    await page.getByRole('button', { name: 'Show the files as they are now' }).click();
    await until('no commit', () => !query(page).get('at'));
    assert.match(await page.getByRole('link', { name: 'Editor' }).getAttribute('href'), /^vscode:\/\/file\/.*\/src\/store\.py:4$/);
  });

  test('50,000 lines are there, few of them in the page', async () => {
    await page.goto(lab.address('outline', { file: 'long.c', line: '49996' }));
    await page.locator('.line.at').waitFor();
    assert.match(await page.locator('.line.at').innerText(), /49996/);
    assert.ok((await page.locator('.code .line').count()) < 150);
  });

  test('names that are markup or turn around are text', async () => {
    await page.goto(lab.address('outline', { filter: 'odd' }));
    const name = item(page, 'Files', 'onerror');
    await name.click();
    assert.match(await name.innerText(), /\[U\+202E\]exe\.js/);
    await until('the file', () => query(page).get('file') === `odd/${HOSTILE}`);
    await page.locator('.line', { hasText: 'export const odd' }).waitFor();
    await page.goto(lab.address('outline', { file: 'odd/every plane 𝒜 🜁.py' }));
    await page.getByText('marks of direction').waitFor();
  });

  test('a folder that could not be listed says so, and is tried again', async () => {
    await page.goto(lab.address('outline', { filter: '' }));
    await tree(page, 'Files').waitFor();
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await tree(page, 'Files').waitFor();
    await page.route('**/api/v1/list_files', (route) => route.fulfill({ status: 503, json: { status: 503, title: 'Busy', detail: 'no time for this now' } }));
    await item(page, 'Files', 'web').click();
    const again = page.getByRole('button', { name: /Not listed: no time for this now/ });
    await again.waitFor();
    await page.unroute('**/api/v1/list_files');
    await again.click();
    await item(page, 'Files', 'net.ts').waitFor();
    page.said = page.said.filter((s) => !s.includes('503'));
  });

  test('a file that is not there says so', async () => {
    await page.goto(lab.address('outline', { file: 'src/none.py' }));
    await page.getByText('The file could not be read').waitFor();
    page.said = page.said.filter((s) => !s.includes('404')); // the browser's own words about the answer
  });
});

describe('chunks', () => {
  const lab = new Lab();
  before(() => lab.open());
  after(() => lab.close());

  test('a chunk as it is embedded, as it stands, and what is like it', async () => {
    const page = await lab.tab();
    await page.goto(lab.address('chunks', { file: 'src/store.py' }));
    await tree(page, 'Chunks').waitFor();
    await page.getByLabel('Metadata').getByText('python').waitFor();
    await page.locator('.code .line', { hasText: 'src/store.py' }).first().waitFor(); // the head of the text that is embedded
    assert.equal(await page.getByRole('tab', { name: 'As the model reads it' }).getAttribute('aria-selected'), 'true');
    await page.getByRole('tab', { name: 'Raw source' }).click();
    await page.locator('.code .line', { hasText: '"""Where things are kept."""' }).waitFor();
    await page.getByRole('tab', { name: 'Neighbours' }).click();
    await until('neighbours', async () => (await page.locator('.near .hit').count()) > 0 || (await page.getByText('Nothing is like it').count()) > 0);
    assert.equal(query(page).get('tab'), 'near');
    await page.goto(lab.address('chunks', { file: 'long.c' }));
    await tree(page, 'Chunks').waitFor();
    await page.keyboard.press('j');
    await until('the next chunk', () => query(page).get('chunk'));
    const chosen = query(page).get('chunk');
    await page.reload();
    await tree(page, 'Chunks').waitFor();
    assert.equal(query(page).get('chunk'), chosen);
    assert.deepEqual(page.said, []);
  });
});

describe('graph', () => {
  const lab = new Lab();
  let page;
  before(async () => {
    await lab.open();
    page = await lab.tab();
  });
  after(async () => {
    assert.deepEqual(page.said, []);
    await lab.close();
  });
  const nodes = async () => Number(/(\d+) nodes?/.exec(await page.locator('section[aria-label="Nodes"] .sums').innerText())[1]);

  test('calls around a symbol, expanded by a key, folded by going back', async () => {
    await page.goto(lab.address('graph', { symbol: 'retry', dir: 'callers', depth: '1' }));
    await page.locator('.place canvas').first().waitFor();
    await tree(page, 'Nodes').focus();
    const before = await nodes();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('e');
    await until('it is expanded', async () => query(page).get('open') && (await nodes()) > before);
    const after = await nodes();
    await page.reload();
    await until('the same after a reload', async () => (await tree(page, 'Nodes').count()) && (await nodes()) === after);
    await page.goBack();
    await until('it is folded', async () => (await tree(page, 'Nodes').count()) && (await nodes()) === before);
  });

  test('Enter opens the source', async () => {
    await page.goto(lab.address('graph', { symbol: 'retry' }));
    await tree(page, 'Nodes').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await until('the outline', () => new URL(page.url()).pathname === '/outline' && query(page).get('file') === 'src/store.py');
  });

  test('a click expands, two open the source', async () => {
    await page.goto(lab.address('graph', { show: 'path', symbol: 'retry', to: 'main' }));
    await page.locator('.place[data-moving="false"] canvas').first().waitFor();
    await page.waitForTimeout(300);
    const { x, y, width, height } = await page.locator('.place').boundingBox(); // its one node is in the middle
    await page.mouse.click(x + width / 2, y + height / 2);
    await until('it is expanded', async () => query(page).get('open') === 'src/store.py:13' && (await nodes()) > 1);
    await page.goBack();
    await until('it is folded', async () => (await nodes()) === 1);
    await page.mouse.dblclick(x + width / 2, y + height / 2);
    await until('the outline', () => new URL(page.url()).pathname === '/outline' && query(page).get('file') === 'src/store.py');
  });

  test('Escape leads out: from the details to the list, from there to the field', async () => {
    await page.goto(lab.address('graph', { symbol: 'retry' }));
    await page.locator('.place canvas').first().waitFor();
    const details = page.getByRole('region', { name: 'The chosen node' });
    await item(page, 'Nodes', 'Store.find').click();
    await details.getByText('Store.find').waitFor();
    await details.getByRole('button', { name: /Expand|Fold/ }).focus();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    assert.equal(query(page).get('node'), null);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Nodes');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Symbol');
    await tree(page, 'Nodes').focus();
    await page.keyboard.press('ArrowDown'); // another one is chosen, and is told of again
    await details.waitFor();
  });

  test('nothing stands over the picture', async () => {
    await page.goto(lab.address('graph', { symbol: 'retry' }));
    await page.locator('.place canvas').first().waitFor();
    const picture = await page.locator('.place').boundingBox();
    for (const name of ['Nearer', 'Farther', 'All of it']) {
      const button = await page.getByRole('button', { name, exact: true }).boundingBox();
      assert.ok(button.y >= picture.y + picture.height, `${name} is below the picture`);
    }
    await page.getByRole('list', { name: 'What the colours say' }).getByText('not resolved').waitFor();
  });

  test('an edge says how sure it is', async () => {
    await page.goto(lab.address('graph', { symbol: 'retry' }));
    await item(page, 'Nodes', 'retry').locator('.chevron').click();
    await tree(page, 'Nodes').getByText(/found (in its scope|through imports)|stated in the code/).first().waitFor();
  });

  test('imports around a file, modules, a path, none', async () => {
    await page.goto(lab.address('graph', { show: 'imports', file: 'src/store.py' }));
    await item(page, 'Nodes', 'server.py').waitFor();
    await page.getByRole('button', { name: 'Architecture' }).click();
    await item(page, 'Nodes', 'src').waitFor();
    await page.goto(lab.address('graph', { show: 'path', symbol: 'find', to: 'retry' }));
    await page.getByText(/reaches .*retry/).waitFor();
    assert.match(await tree(page, 'Nodes').getByRole('treeitem').first().innerText(), /Store\.find|find/); // the first comes first
    await page.goto(lab.address('graph', { show: 'path', symbol: 'retry', to: 'main' }));
    await page.getByText(/no path/i).first().waitFor();
  });

  test('imports that lead nowhere are told, down to their lines', async () => {
    await page.goto(lab.address('graph', { show: 'architecture' }));
    await page.getByText('1 import could not be resolved').waitFor();
    await page.getByRole('link', { name: '1 in web' }).click();
    const details = page.getByRole('region', { name: 'The chosen node' });
    await details.getByRole('link', { name: 'Its files' }).click();
    await page.getByRole('link', { name: '1 in net.ts' }).click();
    const lines = details.getByRole('list', { name: 'Imports that could not be resolved' });
    await lines.getByRole('link', { name: '5 ./gone' }).click();
    await until('its line', () => query(page).get('file') === 'web/net.ts' && query(page).get('line') === '5');
  });

  test('a symbol that is typed beside the architecture shows its calls', async () => {
    await page.goto(lab.address('graph', { show: 'architecture' }));
    const field = page.getByRole('combobox', { name: 'Symbol', exact: true });
    assert.equal(await field.getAttribute('placeholder'), 'A symbol: shows its calls');
    await field.fill('retry');
    await page.keyboard.press('Enter');
    await until('calls', () => query(page).get('show') === 'calls' && query(page).get('symbol') === 'retry');
    await item(page, 'Nodes', 'Store.find').waitFor();
  });

  test('a pasted diff shows what it reaches', async () => {
    await page.goto(lab.address('graph', { show: 'impact' }));
    await page.getByRole('button', { name: 'Paste a diff' }).click();
    await page.getByRole('textbox', { name: 'Diff', exact: true }).fill('no diff');
    await page.getByRole('button', { name: 'Show its impact' }).click();
    await page.getByText('This is no unified diff').waitFor();
    await page.getByRole('textbox', { name: 'Diff', exact: true }).fill('--- a/src/store.py\n+++ b/src/store.py\n@@ -13,3 +13,4 @@ class Store:\n def retry(action):\n     """Tries three times."""\n+    again = 3\n     for _ in range(3):\n');
    await page.getByRole('button', { name: 'Show its impact' }).click();
    await item(page, 'Nodes', 'retry').waitFor();
    assert.equal(query(page).get('changed'), 'src/store.py:13');
  });

  test('definitions that share a line are told apart, a type and its struct are one', async () => {
    const root = join(lab.box, 'types');
    mkdirSync(root);
    writeFileSync(join(root, 'pair.c'), 'typedef struct pair { int a; } pair; typedef struct trio { int a; } trio;\n\nint first(pair *p)\n{\n    return p->a;\n}\n');
    writeFileSync(join(root, 'use.c'), 'int first(void *p);\n\nint use(void)\n{\n    return first(0);\n}\n');
    writeFileSync(join(root, 'line.c'), 'int base(void)\n{\n    return 1;\n}\nint left(void) { return base(); } int right(void) { return base(); }\nint above(void) { return right(); }\n');
    writeFileSync(join(root, 'line.js'), 'function a() { return b() } function a() { return b() } function a() { return b() } function b() { return 1 }\n');
    lab.ken('index', root);
    const { id } = (await lab.api('list_projects', {})).projects.find((p) => p.name === 'types');
    await page.goto(lab.address('graph', { project: id, show: 'impact', file: 'pair.c' }));
    await item(page, 'Nodes', 'trio').waitFor();
    await item(page, 'Nodes', 'first').waitFor();
    await page.locator('.place[data-moving="false"] canvas').first().waitFor();
    const names = await tree(page, 'Nodes').getByRole('treeitem').allInnerTexts();
    assert.equal(names.filter((n) => n.split('\n')[0].trim() === 'pair').length, 1, names.join('|')); // a type and its struct are one
    // Two definitions on a line: each has the edges that are its own.
    await page.goto(lab.address('graph', { project: id, show: 'impact', symbol: 'base' }));
    await item(page, 'Nodes', 'above').waitFor();
    const edges = async () => (await tree(page, 'Nodes').getByRole('treeitem').allInnerTexts()).map((n) => n.split('\n').map((t) => t.trim())).map((t) => `${t[0]} ${t.at(-1)}`).sort();
    assert.deepEqual(await edges(), ['above 0 → 1', 'base 2 → 0', 'left 0 → 1', 'right 1 → 1']);
    // Three of one name on a line are three nodes.
    await page.goto(lab.address('graph', { project: id, symbol: 'b', direction: 'callers' }));
    await item(page, 'Nodes', 'a').waitFor();
    assert.deepEqual(await edges(), ['a 0 → 1', 'a 0 → 1', 'a 0 → 1', 'b 3 → 0']);
    lab.ken('projects', 'remove', root, '--yes');
  });

  test('an impact draws what uses a type, a path and what it is cut to', async () => {
    const root = join(lab.box, 'uses');
    mkdirSync(root);
    writeFileSync(join(root, 'kind.py'), `class Kind:\n    pass\n\n${Array.from({ length: 210 }, (_, i) => `def f${i}():\n    return ${i}\n`).join('\n')}`);
    writeFileSync(join(root, 'use.py'), 'from kind import Kind\n\ndef takes(k: Kind):\n    return k\n\ndef goes_on():\n    return takes(None)\n');
    lab.ken('index', root);
    const { id } = (await lab.api('list_projects', {})).projects.find((p) => p.name === 'uses');
    const links = async () => (await tree(page, 'Nodes').getByRole('treeitem').allInnerTexts()).map((n) => n.split('\n').map((t) => t.trim())).map((t) => `${t[0]} ${t.at(-1)}`).sort();
    // Nothing calls a type: its graph of calls leads to what uses it.
    await page.goto(lab.address('graph', { project: id, symbol: 'Kind' }));
    await page.getByRole('link', { name: 'What uses it' }).click();
    await item(page, 'Nodes', 'goes_on').waitFor();
    assert.deepEqual(await links(), ['Kind 1 → 0', 'goes_on 0 → 1', 'takes 1 → 1']);
    const risk = async () => /Risk \w+: .*/.exec(await page.locator('.notes').innerText())?.[0];
    const near = await risk();
    assert.match(near, /within 3 steps/);
    await page.getByRole('combobox', { name: 'depth' }).selectOption('1');
    await until('one step', async () => !(await links()).some((n) => n.startsWith('goes_on')));
    assert.equal(await risk(), near);
    await page.goto(lab.address('graph', { project: id, show: 'calls', symbol: 'kind.py' }));
    await page.getByRole('link', { name: 'Its impact' }).click();
    await page.getByText('211 definitions of kind.py').waitFor();
    // A path in the field of the symbol is its file; what is left out is said, and nothing has changed.
    await page.goto(lab.address('graph', { project: id, show: 'impact' }));
    await page.getByRole('combobox', { name: 'Symbol', exact: true }).fill('kind.py');
    await page.keyboard.press('Enter');
    await page.getByText('Shown are 200 of 211 definitions.').waitFor();
    const said = await page.locator('.notes').innerText();
    assert.match(said, /211 definitions of kind\.py: risk/);
    assert.doesNotMatch(said, /changed/);
    lab.ken('projects', 'remove', root, '--yes');
  });

  test('a name that is not there says so', async () => {
    await page.goto(lab.address('graph', { symbol: 'retri' }));
    await page.getByText('There is no graph of this').waitFor();
    await page.getByRole('link', { name: 'Search for “retri”' }).click();
    await until('the search', () => new URL(page.url()).pathname === '/search' && query(page).get('q') === 'retri');
    page.said = page.said.filter((s) => !s.includes('404'));
  });
});

describe('a graph without WebGL', () => {
  const lab = new Lab();
  before(() => lab.open({ flags: ['--disable-gpu', '--disable-software-rasterizer'] }));
  after(() => lab.close());

  test('is the list', async () => {
    const page = await lab.tab();
    await page.goto(lab.address('graph', { symbol: 'retry' }));
    await settle(page);
    await page.getByText('This browser has no WebGL 2').waitFor();
    await item(page, 'Nodes', 'retry').waitFor();
    assert.deepEqual(page.said, []);
  });
});
