// SPDX-License-Identifier: MIT
// What the page of ken serve costs: bytes, time to interactive, typing to results, frames while large things move, memory
// while events come in.
//
//   node bench/page.mjs --ken build/release/ken [--events 180] [--only sizes,start,typing,scroll,graph,memory]
//
// --events: seconds of live events for the figure of memory.
// A folder of 60,000 files in a project of 100,000, a file of 50,000 lines, a graph of 5,000 nodes and 20,000 edges, drawn by the
// software renderer of Chromium (KEN_CHROMIUM, else /usr/bin/chromium). Needs web/node_modules (./dev build). Prints one line
// for each figure.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: { ken: { type: 'string', default: 'build/release/ken' }, events: { type: 'string', default: '180' }, only: { type: 'string', default: 'sizes,start,typing,scroll,graph,memory' } },
});
process.env.KEN_BINARY = resolve(options.ken);
const { Lab, VIEWS } = await import('../web/tests/browser/lab.mjs');

const RUN_MS = 4000;
const NODES = 5000;
const EDGES = 20_000; // that the server gives of more
const FLAT = 60_000;
const MARKS = 12; // of memory in a run
const CALL_MS = 20;
const CALLS_A_CHANGE = 100;

const wanted = new Set(options.only.split(','));
const lab = new Lab();
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const say = (what, value) => console.log(`${what.padEnd(64)} ${value}`);
// The waiting of the driver is made of text, which the page's policy refuses.
const tab = () => lab.tab({ size: [1440, 900], bypassCSP: true });
const hasCursor = () => document.activeElement?.getAttribute('type') === 'search';

function makeFiles() {
  mkdirSync(join(lab.root, 'flat'));
  for (let i = 0; i < FLAT; i++)
    writeFileSync(join(lab.root, 'flat', `file${String(i).padStart(5, '0')}.py`), `def action_${i}(value):\n    """Handles case ${i}."""\n    return value\n`);
  for (let f = 0; f < 200; f++) {
    mkdirSync(join(lab.root, `p${f}`));
    for (let i = 0; i < 200; i++) writeFileSync(join(lab.root, `p${f}`, `m${i}.py`), 'x = 1\n');
  }
  lab.ken('index', lab.root);
}

// ---- frames ----

/** Runs `act` again and again for some seconds, and tells of the frames meanwhile. */
async function frames(page, what, act) {
  await page.evaluate(() => {
    window.seen = [];
    window.isSeeing = true;
    const step = (now) => {
      window.seen.push(now);
      if (window.isSeeing) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  for (const end = Date.now() + RUN_MS; Date.now() < end; ) await act();
  const seen = await page.evaluate(() => ((window.isSeeing = false), window.seen));
  const gaps = seen.slice(1).map((t, i) => t - seen[i]).sort((a, b) => a - b);
  say(what, `${((1000 * gaps.length) / (seen.at(-1) - seen[0])).toFixed(0)} frames/s, 95 % within ${Math.round(gaps[Math.floor(gaps.length * 0.95)])} ms, longest ${Math.round(gaps.at(-1))} ms`);
}

// Each frame of the page moves it on.
const scrollBy = (page, selector, pixels) => () =>
  page.evaluate(([where, by]) => new Promise((done) => {
    let n = 0;
    const step = () => {
      document.querySelector(where).scrollTop += by;
      if (++n < 30) requestAnimationFrame(step);
      else done();
    };
    requestAnimationFrame(step);
  }), [selector, pixels]);

// ---- figures ----

async function sizes() {
  const page = await tab();
  const seen = new Map();
  let now = '';
  page.on('response', async (r) => {
    const size = (await r.request().sizes().catch(() => null))?.responseBodySize ?? 0;
    // From the cache of the browser it has none.
    if (/\/assets\/.*\.js/.test(r.url()) && size > 0 && !seen.has(r.url())) seen.set(r.url(), { view: now, size });
  });
  for (now of VIEWS) {
    await page.goto(lab.address(now, { search: { q: 'action' }, outline: { file: 'long.c' } }[now] ?? {}));
    await page.waitForTimeout(1500);
  }
  const sum = (which) => `${([...seen].filter(which).reduce((n, [, s]) => n + s.size, 0) / 1000).toFixed(1)} kB`;
  say('shell, compressed script', sum(([url]) => /\/index-/.test(url)));
  for (const view of VIEWS) say(`  ${view}, first opened after those above`, sum(([url, s]) => s.view === view && !/\/index-/.test(url)));
  await page.context().close();
}

async function start() {
  const times = { cold: [], warm: [] };
  for (let i = 0; i < 7; i++) {
    const page = await tab();
    for (const list of [times.cold, times.warm]) {
      const began = performance.now();
      await page.goto(lab.address('search'), { waitUntil: 'commit' });
      await page.waitForFunction(hasCursor, null, { polling: 'raf' });
      list.push(performance.now() - began);
    }
    await page.context().close();
  }
  say('search can be typed into, nothing cached; cached', `${median(times.cold).toFixed(0)} ms; ${median(times.warm).toFixed(0)} ms`);
}

async function typing() {
  const page = await tab();
  await page.goto(lab.address('search'));
  await page.waitForFunction(hasCursor);
  const times = [];
  for (let i = 0; i < 25; i++) {
    const n = 1000 + i * 37;
    await page.locator('input[type=search]').fill(`action_${n - 1}`);
    await page.waitForTimeout(400);
    times.push(await page.evaluate((name) => new Promise((done) => {
      const field = document.querySelector('input[type=search]');
      const began = performance.now();
      // The frame that has it counts, too.
      const look = () => (document.querySelector('article')?.textContent.includes(`def ${name}(`) ? setTimeout(() => done(performance.now() - began)) : requestAnimationFrame(look));
      field.value = name;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      requestAnimationFrame(look);
    }), `action_${n}`));
  }
  const [first, ...rest] = times; // an index of all these files is opened by the first question
  say('a key typed to its results painted', `p50 ${median(rest).toFixed(0)} ms, worst ${Math.max(...rest).toFixed(0)} ms; the first ${first.toFixed(0)} ms`);
  await page.context().close();
}

async function scroll() {
  const page = await tab();
  await page.goto(lab.address('outline', { file: 'flat/file00000.py' }));
  await page.getByRole('tree', { name: 'Files' }).getByText('file00001.py').waitFor();
  await frames(page, `a folder of ${FLAT} files, as a wheel turns`, scrollBy(page, '.files .tree', 120));
  await frames(page, 'the same, a page a frame', scrollBy(page, '.files .tree', 700));
  await page.goto(lab.address('outline', { filter: '.py' }));
  await page.getByRole('treeitem').first().waitFor();
  await frames(page, '100,000 files that a filter finds, a page a frame', scrollBy(page, '.files .tree', 700));
  await page.goto(lab.address('outline', { file: 'long.c' }));
  await page.locator('.code .line').first().waitFor();
  await page.waitForTimeout(3000);
  await frames(page, 'a file of 50,000 lines, as a wheel turns', scrollBy(page, '.code', 120));
  await frames(page, 'the same, a page a frame', scrollBy(page, '.code', 700));
  await page.context().close();
}

function makeGraph() {
  let seed = 7;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
  const nodes = Array.from({ length: NODES }, (_, i) => ({
    id: `f${i}.c#fn${i}`, name: `fn_${i}`, kind: ['function', 'struct', 'macro', 'variable'][i % 4], depth: i ? 1 + (i % 4) : 0, file_path: `src/f${i}.c`, line: i + 1, module: `m${i % 20}`,
  }));
  const edge = (from, to, i) => ({ from: nodes[from].id, to: nodes[to].id, kind: 'call', resolution: ['exact', 'imported', 'inferred', 'unresolved'][i % 4], sites: 1 });
  const edges = [];
  for (let i = 1; i < NODES; i++) edges.push(edge(Math.floor(random() * Math.min(i, Math.sqrt(i) * 6)), i, i));
  while (edges.length < EDGES) {
    const from = Math.floor(random() * NODES);
    edges.push(edge(from, Math.min(NODES - 1, from + Math.floor(random() * 40)), edges.length));
  }
  return { level: 'symbol', nodes, edges, total: NODES, total_edges: 5 * EDGES, cycles: 0, unresolved: 0, truncated: true, project: { id: 'x' }, index: { generation: 1 } };
}

async function graph() {
  const page = await tab();
  await page.route('**/api/v1/symbol_graph', (route) => route.fulfill({ json: makeGraph() }));
  await page.goto(lab.address('graph', { symbol: 'main', most: String(NODES), layout: 'force' }));
  await page.locator('.place canvas').first().waitFor();
  await frames(page, `a graph of ${NODES} nodes and ${EDGES} edges while it is laid out`, () => page.waitForTimeout(50));
  await page.locator('.place[data-moving="false"]').waitFor();
  const { x, y, width, height } = await page.locator('.place').boundingBox();
  let turn = 0;
  const about = (slow, wide, high) => page.mouse.move(x + width / 2 + Math.sin(turn / slow) * wide, y + height / 2 + Math.cos(turn / slow) * high);
  await about(8, 0, 0);
  await page.mouse.down();
  await frames(page, 'the same, drawn about', async () => {
    turn++;
    await about(8, 150, 120);
    await page.waitForTimeout(8);
  });
  await page.mouse.up();
  await frames(page, 'the same, nearer and farther', async () => {
    await page.mouse.wheel(0, turn++ % 40 < 20 ? -60 : 60);
    await page.waitForTimeout(30);
  });
  await frames(page, 'the same, under a pointer that moves', async () => {
    turn++;
    await about(17, 200, 150);
    await page.waitForTimeout(16);
  });
  await page.context().close();
}

/** What a page holds that shows calls as they come in, while agents ask and files change. */
async function memory() {
  const page = await tab();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.enable');
  await devtools.send('Performance.enable');
  const held = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    const all = Object.fromEntries((await devtools.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]));
    return { heap: all.JSHeapUsedSize / 1e6, nodes: all.Nodes, listeners: all.JSEventListeners };
  };
  const names = ['retry', 'load', 'Store', 'Server', 'main', 'send'];
  const ask = (id) => fetch(`${lab.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'get_definition' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_definition', arguments: { symbol_name: names[id % names.length], project: lab.project }, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } } }),
  }).then((answer) => answer.text());
  await page.goto(lab.address('agents'));
  await page.waitForTimeout(3000);
  const seconds = Number(options.events);
  const marks = [await held()];
  let calls = 0, changes = 0;
  for (let mark = 1; mark <= MARKS; mark++) {
    for (const end = Date.now() + (seconds * 1000) / MARKS; Date.now() < end; await page.waitForTimeout(CALL_MS)) {
      await ask(++calls);
      if (calls % CALLS_A_CHANGE === 0) writeFileSync(join(lab.root, 'changes.py'), `def change_${++changes}():\n    return ${changes}\n`);
    }
    marks.push(await held());
  }
  say(`memory of the page through ${seconds} s: ${calls} calls shown live, ${changes} changed files`, `${marks.map((m) => m.heap.toFixed(2)).join(', ')} MB`);
  say('  nodes of the document; listeners', `${marks.map((m) => m.nodes).join(', ')}; ${marks.map((m) => m.listeners).join(', ')}`);
  await page.context().close();
}

try {
  await lab.open();
  if (['sizes', 'start', 'typing', 'scroll'].some((name) => wanted.has(name))) makeFiles();
  for (const [name, measure] of Object.entries({ sizes, start, typing, scroll, graph, memory })) if (wanted.has(name)) await measure();
} finally {
  await lab.close();
}
