// SPDX-License-Identifier: MIT
// Lighthouse on every view of ken serve.
//
//   npm install --prefix build/lighthouse lighthouse@12.8.2
//   node bench/lighthouse.mjs --ken build/release/ken [--root FOLDER] [--views search,graph] [--form desktop|mobile]
//
// Of the repository that --root names, else of a small one. Chromium is KEN_CHROMIUM, else /usr/bin/chromium. Prints a line for each
// view: performance, accessibility, best practices, SEO, and below it each audit that is not passed and counts. Exits with 1 when a
// score is below 95.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    ken: { type: 'string', default: 'build/release/ken' },
    root: { type: 'string' },
    views: { type: 'string' },
    form: { type: 'string', default: 'desktop' },
    lighthouse: { type: 'string', default: 'build/lighthouse' },
  },
});
process.env.KEN_BINARY = resolve(options.ken);
const { CHROMIUM, Lab, VIEWS } = await import('../web/tests/browser/lab.mjs');
const of = (file) => import(resolve(options.lighthouse, 'node_modules/lighthouse/core', file));
const [{ default: lighthouse }, { default: desktop }] = await Promise.all([of('index.js'), of('config/desktop-config.js')]);

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
const LEAST = 95;
const TRIES = 4;

/** Runs `f` with the port of a browser of its own. */
async function withBrowser(f) {
  const box = mkdtempSync(join(tmpdir(), 'ken-lighthouse-'));
  const browser = spawn(CHROMIUM, ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--enable-unsafe-swiftshader', '--remote-debugging-port=0', `--user-data-dir=${box}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((done) => browser.once('exit', done));
  try {
    return await f(await new Promise((done, fail) => {
      createInterface({ input: browser.stderr }).on('line', (line) => {
        const m = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(line);
        if (m) done(Number(m[1]));
      });
      browser.once('exit', (code) => fail(new Error(`the browser ended with ${code}`)));
    }));
  } finally {
    browser.kill();
    await ended;
    rmSync(box, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** On a busy machine a recording may be of no use (NO_FCP, NO_NAVSTART): it is made again. */
async function look(url) {
  for (let tries = 1; ; tries++) {
    const { lhr } = await withBrowser((port) => lighthouse(url, { port, output: 'json', logLevel: 'silent', onlyCategories: CATEGORIES }, options.form === 'desktop' ? desktop : undefined));
    if (!lhr.runtimeError) return lhr;
    if (tries === TRIES) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  }
}

async function measure(lab, view) {
  const query = { search: { q: 'where requests are handled' }, graph: { level: 'module' } }[view] ?? {};
  const lhr = await look(lab.address(view, query));
  const scores = CATEGORIES.map((c) => Math.round((lhr.categories[c].score ?? 0) * 100));
  console.log(`${view.padEnd(12)} ${scores.map((s) => String(s).padStart(4)).join('')}   first paint ${lhr.audits['first-contentful-paint'].displayValue}, largest ${lhr.audits['largest-contentful-paint'].displayValue}, blocked ${lhr.audits['total-blocking-time'].displayValue}, shifts ${lhr.audits['cumulative-layout-shift'].displayValue}`);
  for (const c of CATEGORIES) {
    for (const { id, weight } of lhr.categories[c].auditRefs) {
      const audit = lhr.audits[id];
      if (weight && audit.score !== null && audit.score < 0.9) console.log(`    ${c}: ${id} ${audit.displayValue ?? ''} ${(audit.details?.items ?? []).slice(0, 3).map((i) => i.node?.snippet ?? i.description ?? i.url ?? '').join(' ; ').slice(0, 300)}`);
    }
  }
  return Math.min(...scores);
}

const lab = new Lab();
try {
  await lab.open();
  if (options.root) {
    lab.ken('index', resolve(options.root));
    lab.project = (await lab.api('list_projects', {})).projects.find((p) => p.root === resolve(options.root)).id;
  }
  console.log(`${options.form.padEnd(12)} perf a11y best  seo`);
  let least = 100;
  for (const view of options.views?.split(',') ?? VIEWS) least = Math.min(least, await measure(lab, view));
  process.exitCode = least < LEAST ? 1 : 0;
} finally {
  await lab.close();
}
