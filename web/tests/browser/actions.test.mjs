// SPDX-License-Identifier: MIT
// What a person does, from the first project to the last task, by mouse and by keyboard alone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { HOSTILE, Lab, settle, SIZES, VIEWS } from './lab.mjs';

describe('actions', () => {
  const lab = new Lab();
  let page;
  before(async () => {
    await lab.open();
    page = await lab.tab();
  });
  after(() => lab.close());
  const said = () => assert.deepEqual(page.said.splice(0), []);

  test('one finds code while typing, sees why it was found, and goes to it', async () => {
    await page.goto(lab.address('search'));
    await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('tries three times', { delay: 30 });
    const first = page.locator('article').first();
    await first.getByText('retry', { exact: true }).first().waitFor();
    await page.waitForURL(/q=tries\+three\+times/);
    await first.getByRole('button', { name: /Score/ }).click();
    await first.getByRole('columnheader', { name: 'Points' }).waitFor();
    // The parts add up to the sum, and that is so much of what it is a share of.
    const rows = await first.locator('table.why tbody tr').evaluateAll((all) => all.map((tr) => Number(tr.lastElementChild.textContent)));
    const sum = Number(await first.locator('table.why tfoot strong').innerText());
    assert.ok(Math.abs(rows.reduce((a, b) => a + b, 0) - sum) < 0.01);
    const [, share, most] = /(\d+) % of at most ([\d.]+)/.exec(await first.locator('table.why tfoot').innerText());
    assert.equal(Math.round((100 * sum) / Number(most)), Number(share));
    await first.getByRole('button', { name: 'What is around it' }).click();
    await first.getByText('def load(path):').waitFor();
    await first.locator('.hljs-keyword', { hasText: 'def' }).nth(1).waitFor(); // in colours, as the result was
    await first.getByRole('button', { name: 'Usages' }).click();
    await first.getByText('1 usage', { exact: true }).waitFor();
    await first.getByRole('link', { name: /src\/store\.py:10/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.locator('article').first().waitFor();
    await page.locator('article').first().getByRole('link').first().click();
    await page.waitForURL(/outline\?.*file=src/);
    await page.getByRole('region').getByText('Tries three times.').waitFor();
    said();
  });

  test('a result begins with the definition that it is named for', async () => {
    const root = join(lab.box, 'pair');
    mkdirSync(root);
    const body = Array.from({ length: 14 }, (_, i) => `    n = n * ${i + 3} + ${i};\n`).join('');
    writeFileSync(join(root, 'pair.c'), `static int mix(int n)\n{\n${body}    return n;\n}\n\n// How long to wait before the next try.\nint pause_ms(int tries)\n{\n    return 100 << tries;\n}\n`);
    lab.ken('index', root);
    await page.goto(`${lab.url}/search?project=pair&q=wait+before+the+next+try`);
    const first = page.locator('article').first();
    await first.getByText('pause_ms', { exact: true }).first().waitFor();
    await first.getByText('How long to wait before the next try.').waitFor();
    await first.getByText('return 100 << tries;').waitFor();
    await first.getByRole('link', { name: 'pair.c:20', exact: true }).waitFor();
    await first.getByRole('link', { name: 'Similar' }).click();
    await page.waitForURL(/q=pair\.c(:|%3A)21&/); // what is like this definition, not like what stands before it
    await page.goBack();
    lab.ken('projects', 'remove', root, '--yes');
    said();
  });

  test('Enter opens what was found for the whole question, however late it comes', async () => {
    await page.goto(lab.address('search', { q: 'retry' }));
    await page.locator('article').filter({ hasText: 'Tries three times.' }).waitFor();
    await page.route('**/search_code', async (r) => {
      await new Promise((resolve) => setTimeout(resolve, 600));
      await r.continue();
    });
    await page.getByRole('searchbox', { name: 'Search' }).fill('handles one request looks it up');
    await page.keyboard.press('Enter');
    await page.waitForURL(/outline\?.*file=src(\/|%2F)server\.py/);
    await page.unroute('**/search_code');
  });

  test('text and patterns show the lines that have them, marked, and lead there', async () => {
    await page.goto(lab.address('search', { q: 'VALUE', mode: 'text' }));
    const first = page.locator('article').first();
    const lines = first.getByRole('list', { name: 'Lines' }).getByRole('link');
    await lines.first().waitFor();
    const line = /^\d+/.exec(await lines.first().innerText())[0];
    assert.match((await first.locator('mark').first().innerText()).toLowerCase(), /^value$/);
    assert.ok((await first.locator('a.path').innerText()).endsWith(`:${line}`));
    await page.getByLabel('Match case').check();
    await page.getByText('Nothing was found').waitFor();
    await page.goto(lab.address('search', { q: 'def \\w+', mode: 'regex' }));
    await lines.first().getByText('def ').waitFor();
    assert.match(await first.locator('mark').first().innerText(), /^def \w+$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/outline\?.*line=\d+/);
    said();
  });

  test('what is shown follows a file that changes', async () => {
    const root = join(lab.box, 'live');
    mkdirSync(root);
    writeFileSync(join(root, 'a.py'), 'def one():\n    pass\n');
    lab.ken('index', root);
    await page.goto(`${lab.url}/outline?project=live&file=a.py`);
    const tree = page.getByRole('region', { name: 'Symbols' });
    await tree.getByText('one', { exact: true }).waitFor();
    await settle(page);
    writeFileSync(join(root, 'a.py'), 'def one():\n    pass\n\n\ndef two():\n    pass\n');
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await tree.getByText('two', { exact: true }).waitFor();
    lab.ken('projects', 'remove', root, '--yes');
    said();
  });

  test('who comes back from a result is at that result', async () => {
    await page.goto(lab.address('search', { q: 'store value' }));
    const third = page.locator('#result-2');
    await third.waitFor();
    for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/outline\?/);
    await page.goBack();
    await third.locator('article.chosen').waitFor();
    await page.waitForFunction(() => {
      const { top, bottom } = document.getElementById('result-2').getBoundingClientRect();
      return top < innerHeight && bottom > 0;
    });
    said();
  });

  test('who opens a result while typing finds the whole question on coming back', async () => {
    await page.goto(lab.address('search'));
    const field = page.getByRole('searchbox', { name: 'Search' });
    await field.pressSequentially('retry');
    await page.locator('article').filter({ hasText: 'Tries three times.' }).waitFor();
    await field.pressSequentially(' action');
    await page.keyboard.press('Enter');
    await page.waitForURL(/outline\?.*file=src/);
    await page.goBack();
    await page.waitForURL(/search\?.*q=retry\+action/);
    assert.equal(await field.inputValue(), 'retry action');
    await page.locator('article').first().getByRole('link', { name: 'Similar' }).click();
    await page.waitForURL(/mode=similar/);
    assert.match(await field.inputValue(), /^src.*:\d+$/);
    await page.locator('article').first().waitFor();
    // What is no place is not looked for there, and the way out is beside what is said.
    await field.fill('handle');
    await page.getByText('The search failed').waitFor();
    assert.equal(await page.getByText(/results? in/).count(), 0);
    await page.getByRole('button', { name: 'Search for it by words and meaning' }).click();
    await page.locator('article').first().waitFor();
    assert.equal(new URL(page.url()).searchParams.get('mode'), null);
    page.said = page.said.filter((s) => !s.includes('404'));
    await page.goBack();
    await page.waitForURL(/q=retry\+action/);
    await page.getByRole('link', { name: /^src\/store\.py:/ }).first().waitFor();
    assert.equal(await field.inputValue(), 'retry action');
    said();
  });

  test('a path that is searched for leads to its file', async () => {
    await page.goto(lab.address('search', { q: 'src/store.py' }));
    await page.getByText('is a file:').waitFor();
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await page.waitForURL(/outline\?.*file=src/);
    said();
  });

  test('the search has its last question and filters again, until it is gone to once more', async () => {
    await page.goto(lab.address('search', { q: 'retry', language: 'python' }));
    await page.locator('article').first().waitFor();
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: 'Tasks' }).click();
    await page.waitForURL(/\/tasks\?/);
    await page.reload();
    await views.getByRole('link', { name: 'Search' }).click();
    await page.waitForURL(/\/search\?.*q=retry/);
    assert.match(page.url(), /language=python/);
    const field = page.getByRole('searchbox', { name: 'Search' });
    assert.equal(await field.inputValue(), 'retry');
    await page.locator('article').first().waitFor();
    await page.keyboard.type('load'); // takes its place
    assert.equal(await field.inputValue(), 'load');
    await views.getByRole('link', { name: 'Search' }).click();
    await page.getByText('Ask for something').waitFor();
    assert.equal(await field.inputValue(), '');
    said();
  });

  test('where one types it is said what Enter opens, and a hit leads to its impact', async () => {
    await page.goto(lab.address('search', { q: 'store' }));
    await page.getByText(/opens the first, /).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByText('opens result 2').waitFor();
    await page.goto(lab.address('search', { q: 'retry' }));
    await page.locator('article').filter({ hasText: 'Tries three times.' }).first().getByRole('link', { name: 'Impact' }).click();
    await page.waitForURL(/graph\?.*show=impact/);
    await page.getByRole('tree', { name: 'Nodes' }).getByRole('treeitem').filter({ hasText: 'Store.find' }).first().waitFor();
    said();
  });

  test('a way to search is chosen by what it says of itself', async () => {
    await page.goto(lab.address('search', { q: 'retry' }));
    await page.getByText(/by words and meaning$/).waitFor();
    await page.getByRole('button', { name: 'How to search: Words and meaning' }).click();
    await page.getByRole('menuitemradio', { name: 'Names Definitions with this name' }).click();
    await page.waitForURL(/mode=symbol/);
    await page.getByText(/by names$/).waitFor();
    await page.locator('article').first().waitFor();
    said();
  });

  test('every view is reached by keys alone, and back', async () => {
    await page.goto(lab.address('projects'));
    await settle(page);
    const keys = { projects: 'p', indexing: 'i', search: 's', outline: 'o', chunks: 'c', graph: 'g', rules: 'r', tasks: 't', checkpoints: 'k', stats: 'a', agents: 'm', settings: ',' };
    for (const view of VIEWS) {
      await page.evaluate(() => document.activeElement?.blur());
      await page.keyboard.press('g');
      await page.keyboard.press(keys[view]);
      await page.waitForURL(new RegExp(`/${view}\\?`));
    }
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('?');
    const keyList = page.getByRole('dialog', { name: 'Keys' });
    await keyList.getByText('Find a view, project, file, symbol or command').waitFor();
    await page.keyboard.press('Escape');
    await keyList.waitFor({ state: 'detached' });
    await page.getByRole('contentinfo').getByRole('button', { name: 'Keys' }).click(); // for who does not know the key
    await keyList.waitFor();
    await page.keyboard.press('Escape');
    await keyList.waitFor({ state: 'detached' });
    await page.goBack();
    await page.waitForURL(/\/agents\?/);
    said();
  });

  test('on a phone the palette has a button, and nothing is cut off the bars of a view', async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    for (const [view, query] of [['outline', { file: 'src/server.py', line: '14' }], ['chunks', { file: 'src/server.py', pane: 'chunk' }], ['agents', {}], ['graph', { symbol: 'retry' }]]) {
      await page.goto(lab.address(view, query));
      await settle(page);
      const wrong = await page.evaluate(() => {
        const seen = [...document.querySelectorAll('main button, main a.button, main [role="tab"]')].filter((e) => e.checkVisibility() && !e.closest('.scroll, pre, [role="tree"]'));
        const boxes = seen.map((e) => [e.textContent.trim() || e.getAttribute('aria-label'), e.getBoundingClientRect()]);
        const faults = boxes.filter(([, b]) => b.left < 0 || b.right > innerWidth).map(([name]) => `${name} is cut off`);
        for (const [i, [one, a]] of boxes.entries())
          for (const [two, b] of boxes.slice(i + 1)) if (a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 2 && b.top < a.bottom - 2) faults.push(`${one} lies on ${two}`);
        return faults;
      });
      assert.deepEqual(wrong, [], view);
    }
    // What another view brings with it changes nothing here.
    const panes = page.getByRole('group', { name: 'What is shown' });
    await page.goto(lab.address('outline'));
    const before = await panes.boundingBox();
    for (const view of ['agents', 'settings', 'outline']) {
      await page.evaluate((to) => document.querySelector(`nav a[href^="/${to}"]`).click(), view);
      await page.waitForURL(new RegExp(`/${view}`));
      await settle(page);
    }
    assert.deepEqual(await panes.boundingBox(), before);
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('dialog', { name: 'Find' }).getByText('Show all keys').click();
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize(size);
    said();
  });

  test('the palette finds views, symbols and projects', async () => {
    await page.goto(lab.address('stats'));
    await settle(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('retry');
    await page.getByRole('option', { name: /retry/ }).filter({ hasText: 'store.py' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/outline\?.*store\.py/);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('store.py');
    await page.getByRole('option', { name: /^store\.py/ }).first().waitFor();
    for (const word of ['shortcuts', 'keys', 'help']) {
      await page.keyboard.press('Control+a');
      await page.keyboard.type(word);
      await page.getByRole('option', { name: 'Show all keys' }).waitFor();
    }
    await page.keyboard.press('Control+a');
    await page.keyboard.type('new task');
    await page.getByRole('option', { name: 'New task', exact: true }).waitFor();
    await settle(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tasks\?/);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    said();
  });

  test('the only project needs no choice, and a dialog begins in its first field', async () => {
    await page.goto(`${lab.url}/search`);
    await page.locator('input[type=search]').waitFor();
    await page.goto(`${lab.url}/tasks`);
    await page.getByRole('button', { name: 'New task' }).first().click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Retry on 503');
    assert.equal(await page.getByRole('dialog').getByRole('textbox').first().inputValue(), 'Retry on 503');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    said();
  });

  test('a folder becomes a project, is indexed, changed, archived and deleted', async () => {
    const root = join(lab.box, 'second');
    mkdirSync(join(root, 'a'), { recursive: true });
    writeFileSync(join(root, 'a', 'one.py'), 'def in_the_second():\n    return 1\n');
    await page.goto(`${lab.url}/projects?add=folder`);
    const dialog = page.getByRole('dialog');
    // Folders are listed, and none is chosen.
    await dialog.getByRole('group', { name: 'Folders' }).getByRole('button', { name: 'second' }).waitFor();
    assert.equal(await dialog.getByRole('textbox', { name: /^Folder/ }).inputValue(), '');
    assert.ok(await dialog.getByRole('button', { name: 'Add and index' }).isDisabled());
    await dialog.getByRole('textbox', { name: /^Folder/ }).fill(root);
    await dialog.getByRole('button', { name: 'Add and index' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Index of second is done').waitFor();
    assert.equal(await page.getByText('Index of second begins').count(), 0);
    const find = async () => (await lab.api('list_projects', {})).projects.find((p) => p.root === root);
    const card = page.locator('.card', { hasText: root });
    await card.getByText(/^index changed/).waitFor();
    const { id, status } = await find();
    assert.equal(status, 'indexed');
    await page.goto(`${lab.url}/search?project=${id}&q=in_the_second`);
    await page.locator('article').first().waitFor();

    await page.goto(`${lab.url}/projects`);
    const more = (item) => card.getByRole('button', { name: /^More of/ }).click().then(() => page.getByRole('menuitem', { name: item }).click());
    await more('Edit…');
    await dialog.getByLabel('Name').fill('renamed');
    await dialog.getByLabel(/^Exclude/).fill('*.md');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('renamed').first().waitFor();
    await dialog.waitFor({ state: 'detached' });
    await more('Archive');
    for (const until = Date.now() + 20_000; (await find()).status !== 'archived'; ) {
      assert.ok(Date.now() < until, 'it is not archived');
      await page.waitForTimeout(100);
    }
    await page.goto(`${lab.url}/projects?archived=1`);
    await settle(page);
    if (!(await card.count())) await page.getByLabel(/archived/i).check();
    await more('Delete…');
    assert.ok(await dialog.getByRole('button', { name: 'Delete' }).isDisabled());
    await dialog.getByRole('textbox').fill('renamed');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await card.waitFor({ state: 'detached' });
    assert.equal(await find(), undefined);
    said();
  });

  test('the project that one chose is chosen for the next tab, too', async () => {
    const root = join(lab.box, 'chosen');
    mkdirSync(root);
    writeFileSync(join(root, 'a.py'), 'def chosen():\n    return 1\n');
    lab.ken('index', root);
    for (const name of ['chosen', 'shop']) {
      await page.goto(`${lab.url}/projects`);
      await settle(page);
      await page.getByRole('button', { name: /^Project:/ }).click();
      await page.getByRole('option', { name }).click();
      await page.waitForURL(/project=/);
      await page.waitForTimeout(300);
      const other = await lab.tab();
      await other.goto(`${lab.url}/search`);
      await other.getByRole('button', { name: `Project: ${name}` }).waitFor();
      await other.context().close();
    }
    lab.ken('projects', 'remove', root, '--yes');
    said();
  });

  test('a task is made, moved, taken back, changed and deleted', async () => {
    await page.goto(lab.address('tasks'));
    await settle(page);
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.getByLabel('Title').fill('Mend the door');
    await page.reload(); // what was typed is not lost
    assert.equal(await dialog.getByLabel('Title').inputValue(), 'Mend the door');
    await dialog.getByRole('button', { name: 'Make the task' }).click();
    const panel = page.getByRole('complementary', { name: 'Task' });
    await page.getByText('The task is made').waitFor();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await panel.waitFor();
    await panel.getByLabel('Close').click();
    // What is said of one view is gone in the next; what can be taken back is not.
    await page.keyboard.press('n');
    await dialog.getByLabel('Title').fill('Oil it');
    await dialog.getByRole('button', { name: 'Make the task' }).click();
    await page.getByLabel('Status of Oil it').selectOption('complete');
    await page.getByText('“Oil it” is now under').waitFor();
    await page.getByText('The task is made').waitFor();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Settings' }).click();
    await page.waitForURL(/\/settings\?/);
    assert.equal(await page.getByText('The task is made').count(), 0);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    for (const t of (await lab.api('list_tasks', { query: 'Oil it' })).tasks.filter((t) => t.title === 'Oil it')) await lab.api('delete_task', { task_id: t.id });
    await page.goBack();
    await page.getByLabel('Status of Mend the door').selectOption('in-progress');
    await page.getByText('“Mend the door” is now under “In progress”').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('region', { name: 'To do' }).getByText('Mend the door').waitFor();
    await page.getByRole('button', { name: 'Mend the door' }).click();
    await panel.getByLabel('Description').fill('It squeaks.');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    assert.equal((await lab.api('list_tasks', {})).tasks[0].description, 'It squeaks.');
    // What is moved on the board is moved in the panel, and no conflict with what is being typed there.
    await panel.getByRole('textbox', { name: 'Title' }).fill('Mend the old door');
    await page.getByLabel('Status of Mend the door').selectOption('complete');
    await page.getByText('“Mend the door” is now under “Done”').waitFor();
    await panel.getByText('→ Done').waitFor();
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'Done' }).getByText('Mend the old door').waitFor();
    await panel.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('There are no tasks yet').or(page.getByText('No task fits')).waitFor();
    await page.locator('.toast', { hasText: 'is deleted' }).getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('region', { name: 'Done' }).getByText('Mend the old door').waitFor();
    const [again] = (await lab.api('list_tasks', {})).tasks;
    assert.equal(again.description, 'It squeaks.');
    await lab.api('delete_task', { task_id: again.id });
    said();
  });

  test('beside or over the tasks, a panel leaves a way to make another one', async () => {
    const task = await lab.api('create_task', { title: 'Paint it' });
    const size = page.viewportSize();
    for (const [width, height] of [...SIZES, [768, 1024]]) {
      await page.setViewportSize({ width, height });
      await page.goto(lab.address('tasks', { task: task.id }));
      const panel = page.getByRole('complementary', { name: 'Task' });
      await panel.getByLabel('Title').waitFor();
      await (width < 1024 ? panel : page).getByRole('button', { name: 'New task' }).click();
      await page.getByRole('dialog', { name: 'New task' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await panel.waitFor();
    }
    await page.setViewportSize(size);
    await lab.api('delete_task', { task_id: task.id });
    said();
  });

  test('what is changed in a task and not saved is kept', async () => {
    const task = await lab.api('create_task', { title: 'Hang it', description: 'In the hall.' });
    const panel = page.getByRole('complementary', { name: 'Task' });
    const title = panel.getByRole('textbox', { name: 'Title' });
    await page.goto(lab.address('tasks', { task: task.id }));
    await title.fill('Hang it up');
    await page.goto(lab.address('stats'));
    await page.goto(lab.address('tasks', { task: task.id }));
    await panel.getByRole('button', { name: 'Save' }).waitFor();
    assert.equal(await title.inputValue(), 'Hang it up');
    // Who changed it meanwhile is not overwritten.
    await page.goto(lab.address('stats'));
    await lab.api('update_task', { task_id: task.id, title: 'Hang it low' });
    await page.goto(lab.address('tasks', { task: task.id }));
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('alert').waitFor();
    await panel.getByRole('button', { name: 'Take what is there' }).click();
    await page.waitForFunction(() => document.querySelector('aside input')?.value === 'Hang it low');
    await page.reload();
    await panel.getByRole('button', { name: 'Save' }).waitFor();
    assert.equal(await title.inputValue(), 'Hang it low');
    await lab.api('delete_task', { task_id: task.id });
    page.said.splice(0); // the refusal is a failed request, which browsers tell
  });

  test('a task is linked to a branch, and to a commit by its first digits', async () => {
    const task = await lab.api('create_task', { title: 'Link it', project: lab.project });
    const panel = page.getByRole('complementary', { name: 'Task' });
    await page.goto(lab.address('tasks', { task: task.id }));
    const link = async (text) => {
      await panel.getByLabel('Link a branch or commit').fill(text);
      await panel.getByRole('button', { name: 'Link' }).click();
    };
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: lab.root, encoding: 'utf8' });
    await link(head.slice(0, 8));
    await panel.getByText(head.slice(0, 12), { exact: true }).waitFor();
    await link('no/such-branch');
    await page.getByText('branch no/such-branch is linked, and the repository does not have it').waitFor();
    // Digits that no commit has are no branch, unless it is said.
    await link('1234567');
    await page.getByText('It was not linked').waitFor();
    assert.deepEqual((await lab.api('get_task', { task_id: task.id })).branches, ['no/such-branch']);
    await page.getByRole('button', { name: 'It is a branch' }).click();
    await panel.getByText('1234567', { exact: true }).waitFor();
    await lab.api('delete_task', { task_id: task.id });
    page.said.splice(0); // the refusal is a failed request, which browsers tell
  });

  test('cards are walked by keys, and the chosen one is opened', async () => {
    for (const title of ['First', 'Second']) await lab.api('create_task', { title });
    await lab.api('create_task', { title: 'Third', status: 'complete' });
    await page.goto(lab.address('tasks'));
    await page.getByRole('region', { name: 'To do' }).getByText('First').waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    const at = () => page.evaluate(() => document.activeElement?.textContent);
    await page.keyboard.press('j');
    const top = await at();
    await page.keyboard.press('ArrowDown');
    assert.deepEqual([top, await at()].sort(), ['First', 'Second']);
    await page.keyboard.press('k');
    assert.equal(await at(), top);
    await page.keyboard.press('ArrowRight');
    assert.equal(await at(), 'Third');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Task' });
    await panel.getByRole('textbox', { name: 'Title' }).waitFor();
    assert.equal(await panel.getByRole('textbox', { name: 'Title' }).inputValue(), 'Third');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    assert.equal(await at(), 'Third');
    for (const t of (await lab.api('list_tasks', {})).tasks) await lab.api('delete_task', { task_id: t.id });
    said();
  });

  test('two tabs that edit one task do not overwrite each other', async () => {
    const task = await lab.api('create_task', { title: 'Shared' });
    const other = await lab.tab();
    for (const tab of [page, other]) {
      await tab.goto(lab.address('tasks', { task: task.id }));
      await tab.getByRole('complementary', { name: 'Task' }).getByLabel('Title').waitFor();
    }
    await other.getByLabel('Title').fill('Theirs');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('Saved').waitFor();
    await page.getByLabel('Notes').fill('mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: /changed/ }).waitFor();
    assert.equal((await lab.api('get_task', { task_id: task.id })).title, 'Theirs');
    assert.equal(await page.getByLabel('Notes').inputValue(), 'mine');
    await page.getByRole('button', { name: 'Write mine over it' }).click();
    await page.getByText('Saved').waitFor();
    const now = await lab.api('get_task', { task_id: task.id });
    assert.deepEqual([now.title, now.notes], ['Theirs', 'mine']);
    await other.context().close();
    page.said.splice(0); // the refusal is a failed request, which browsers tell
  });

  test('a checkpoint is saved, found by its tag, copied, deleted and brought back', async () => {
    await page.goto(lab.address('checkpoints', { add: '1' }));
    const dialog = page.getByRole('dialog', { name: 'New checkpoint' });
    await dialog.getByLabel('Summary').fill('Halfway');
    await dialog.getByLabel(/Tags/).fill('wip, door');
    await dialog.getByLabel(/Context/).fill('{"open": [1]');
    await dialog.getByText(/no JSON/).waitFor();
    await dialog.getByLabel(/Context/).fill('{"open": [1]}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const panel = page.getByRole('complementary', { name: 'Checkpoint' });
    await panel.getByText('Halfway').waitFor();
    await panel.getByRole('button', { name: 'Copy as context' }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /# Halfway[\s\S]*"open"/);
    await panel.getByLabel('Close').click();
    await page.getByRole('button', { name: /^door/ }).click();
    await page.getByRole('button', { name: /Halfway/ }).click();
    await panel.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: /Halfway/ }).waitFor();
    said();
  });

  test('rules are set up, and what they find is shown', async () => {
    await page.goto(lab.address('rules'));
    await page.getByRole('button', { name: 'Find and write the rules' }).click();
    await page.getByText(/(rule|pattern)s? found/).waitFor();
    await page.goto(lab.address('rules', { tab: 'change', change: 'add a way to delete rows' }));
    await settle(page);
    await page.locator('main').getByText(/rule|constraint/i).first().waitFor();
    said();
  });

  test('a rule of many patterns is folded, and what is undecided is no pass', async () => {
    const root = join(lab.box, 'ruled');
    mkdirSync(join(root, 'ui'), { recursive: true });
    writeFileSync(join(root, 'ui', 'app.ts'), "import { gone } from './gone';\n\nexport const app = gone;\n");
    const names = Array.from({ length: 9 }, (_, i) => `store_${i}`);
    const list = names.map((n) => `\`${n}\``).join(', ');
    writeFileSync(join(root, 'ARCHITECTURE.yml'), `version: 1
constraints:
  - id: ui-not-stores
    rule: "Code of \`ui\` MUST NOT import ${list}."
    check:
      forbid_import: { from: "ui/**", to: [${names.map((n) => `"${n}/**"`).join(', ')}] }
`);
    writeFileSync(join(root, 'CONSTRAINTS.md'), '# Money\n\n- **An amount** MUST be a `number` of cents.\n');
    lab.ken('index', root);
    await lab.api('rag_setup', { project_root: root });
    await lab.api('rag_index', { project_root: root });
    const project = (await lab.api('list_projects', {})).projects.find((p) => p.root === root).id;
    await page.goto(`${lab.url}/rules?${new URLSearchParams({ project, tab: 'documents' })}`);
    await page.getByText('No violation found, but not all is decided').waitFor();
    await page.getByText(/^1 place undecided\..*A person or an agent has to look: ui-not-stores \(1\)/).waitFor();
    const row = page.getByRole('row', { name: /ui-not-stores/ });
    assert.match(await row.innerText(), /MUST NOT import\s+store_0,\s+store_1,\s+store_2\s+and 6 more\./);
    await row.getByRole('button', { name: '6 more' }).click();
    await row.getByText('store_8').waitFor();
    await page.keyboard.press('Enter'); // the way back has the focus
    await row.getByText('store_8').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Violations' }).click();
    await page.getByText('No violation found', { exact: true }).waitFor();
    await page.goto(`${lab.url}/rules?${new URLSearchParams({ project, tab: 'change', change: 'an amount of money' })}`);
    await page.locator('article').getByText('number').and(page.locator('.hljs-code')).waitFor();
    await page.locator('article .hljs-strong').getByText('An amount').waitFor();
    await page.goto(`${lab.url}/rules?${new URLSearchParams({ project, tab: 'change', change: 'the ui imports a store' })}`);
    await page.getByText('1 place could not be decided by ken').waitFor();
    lab.ken('projects', 'remove', root, '--yes');
    said();
  });

  test('another project shows nothing of the one before, however long its own takes', async () => {
    const root = join(lab.box, 'other');
    mkdirSync(root);
    writeFileSync(join(root, 'one.py'), 'def alone():\n    return 1\n');
    const { project } = await lab.api('index_repository', { repo_path: root });
    await page.route('**/api/v1/*', async (route) => {
      if (route.request().postData()?.includes(project.id)) await new Promise((done) => setTimeout(done, 1500));
      await route.continue().catch(() => {}); // it was ended
    });
    for (const [view, query, mark] of [['stats', {}, 'typescript'], ['search', { q: 'retry' }, 'src/store.py'], ['graph', { symbol: 'handle', file: 'src/server.py' }, 'Server.handle'], ['chunks', {}, 'long.c'], ['outline', {}, 'long.c']]) {
      await page.goto(lab.address(view, query));
      await page.locator('main').getByText(mark).first().waitFor();
      await page.getByRole('button', { name: /^Project:/ }).click();
      await page.getByRole('option', { name: /other/ }).click();
      await page.getByRole('button', { name: 'Project: other' }).waitFor();
      await page.waitForTimeout(100);
      assert.ok(!(await page.locator('main').innerText()).includes(mark), `${view} shows ${mark} of the project before`);
    }
    await page.unroute('**/api/v1/*');
    await lab.api('select_project', { project: lab.project });
    said();
  });

  test('a search over all projects says which of them it lacks', async () => {
    const root = join(lab.box, 'vanished');
    mkdirSync(root);
    writeFileSync(join(root, 'one.py'), 'def vanished():\n    return 1\n');
    const { project } = await lab.api('index_repository', { repo_path: root });
    rmSync(root, { recursive: true });
    await page.goto(lab.address('search', { q: 'retry', all: '1' }));
    await page.getByRole('list', { name: 'Not searched' }).getByText(/^Left out vanished: its folder .* is gone$/).waitFor();
    await page.locator('article').first().getByText('retry', { exact: true }).first().waitFor();
    lab.ken('projects', 'remove', project.id, '--yes');
    await lab.api('select_project', { project: lab.project });
    said();
  });

  test('file names with markup and reversed text are shown, and nothing of them runs', async () => {
    await page.goto(lab.address('outline', { file: `odd/${HOSTILE}` }));
    await settle(page);
    await page.goto(lab.address('outline', { file: 'odd/page.html' }));
    await page.getByRole('region').getByText('alert(3)').first().waitFor();
    await page.goto(lab.address('search', { q: 'alert', mode: 'text' }));
    await page.locator('article').first().waitFor();
    await page.goto(lab.address('search', { q: '<img src=x onerror=alert(9)>' }));
    await settle(page);
    assert.equal(await page.evaluate(() => document.querySelectorAll('main img, main script, main iframe').length), 0);
    said();
  });

  test('a file of 50,000 lines scrolls, with some hundred lines in the page', async () => {
    await page.goto(lab.address('outline', { file: 'long.c', line: '49000' }));
    await page.getByRole('region').getByText('x += 48999;').waitFor();
    const n = await page.evaluate(() => document.querySelectorAll('.code .line').length);
    assert.ok(n < 300, `${n} lines are in the page`);
    said();
  });
});
