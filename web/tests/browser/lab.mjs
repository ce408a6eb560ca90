// SPDX-License-Identifier: MIT
// A real server on a real repository, and Chromium before it.
//
//   KEN_BINARY=build/dev/ken node --test web/tests/browser/
//
// KEN_CHROMIUM names another browser than /usr/bin/chromium; KEN_SHOTS a folder that pictures of every view go to.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { chromium } from 'playwright-core';

export const KEN = process.env.KEN_BINARY ?? 'build/dev/ken';
export const CHROMIUM = process.env.KEN_CHROMIUM ?? '/usr/bin/chromium';
export const VIEWS = ['projects', 'indexing', 'search', 'outline', 'chunks', 'graph', 'rules', 'tasks', 'checkpoints', 'stats', 'agents', 'settings'];
export const THEMES = ['light', 'dark'];
export const SIZES = [[390, 844], [1024, 768], [1680, 1050]];
export const HOSTILE = '<img src=x onerror=alert(1)>\u202Eexe.js';

// Drawn without a graphics card. (--use-angle=swiftshader would draw the rest of the page that way, too: a third as fast.)
const WEBGL = ['--enable-unsafe-swiftshader'];
const PATIENCE_MS = 60_000;

function put(root, path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** A repository with some of everything. */
export function makeRepository(root) {
  put(root, 'src/server.py', `"""The server."""
from src.store import Store, load


class Server:
    """Answers requests."""

    def __init__(self, store):
        self.store = store

    def handle(self, request):
        """Handles one request: looks it up, answers."""
        if not request:
            raise ValueError("empty request")
        return self.store.find(request)


def main():
    server = Server(load("data"))
    return server.handle("first")


if __name__ == "__main__":
    main()
`);
  put(root, 'src/store.py', `"""Where things are kept."""


class Store:
    def __init__(self, rows):
        self.rows = rows

    def find(self, key):
        """The row of a key."""
        return retry(lambda: self.rows[key])


def retry(action):
    """Tries three times."""
    for _ in range(3):
        try:
            return action()
        except KeyError:
            continue
    return None


def load(path):
    return Store({"first": path})
`);
  put(root, 'tests/test_store.py', 'from src.store import Store\n\n\ndef test_find():\n    assert Store({"a": 1}).find("a") == 1\n');
  put(root, 'web/app.ts', "import { send } from './net';\n\nexport function start(): void {\n  send('hello');\n}\n");
  put(root, 'web/net.ts', 'export function send(text: string): void {\n  console.log(text);\n}\n\nexport * from \'./gone\';\nexport { a, b } from \'./gone\';\n');
  put(root, 'docs/guide.md', '# Guide\n\nHow to start.\n\n## Install\n\nRun it.\n');
  put(root, `odd/${HOSTILE}`, 'export const odd = 1;\n');
  put(root, 'odd/page.html', '<svg onload="alert(2)"><script>alert(3)</script></svg>\n');
  put(root, 'odd/every plane 𝒜 🜁.py', 'def grüße_𝒜():\n    return "🜁 \u202E reversed"\n');
  put(root, 'long.c', Array.from({ length: 50_000 }, (_, i) => (i % 5 ? `    x += ${i};` : `int f${i}(int x) { /* ${i} */`)).join('\n') + '\n');
  const git = (...words) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], { cwd: root, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'one');
}

/** Breaks and stalls some of what passes, as a line does that loses packets. */
export class BadLine {
  constructor(port, share) {
    this.port = port;
    this.share = share;
    this.isCut = false;
  }

  async open() {
    this.door = createServer((near) => {
      const far = connect(this.port, '127.0.0.1');
      for (const [a, b] of [[near, far], [far, near]]) {
        a.on('data', async (data) => {
          if (this.isCut) return near.destroy();
          if (Math.random() < this.share) {
            a.pause();
            await new Promise((resolve) => setTimeout(resolve, 250)); // what sending again takes
            a.resume();
          }
          if (Math.random() < this.share / 10) return near.destroy();
          b.write(data);
        });
        a.on('close', () => b.destroy());
        a.on('error', () => b.destroy());
      }
    });
    await new Promise((resolve) => this.door.listen(0, '127.0.0.1', resolve));
    return this.door.address().port;
  }

  close() {
    this.door.close();
  }
}

export class Lab {
  async open({ words = [], env = {}, flags = WEBGL, first = () => {} } = {}) {
    this.box = mkdtempSync(join(tmpdir(), 'ken-page-'));
    this.root = join(this.box, 'shop');
    makeRepository(this.root);
    this.env = Object.fromEntries(Object.entries(process.env).filter(([k]) => !k.startsWith('KEN_') && k !== 'DATABASE_URL'));
    Object.assign(this.env, { HOME: this.box, KEN_DATA_DIR: join(this.box, 'data'), XDG_CONFIG_HOME: join(this.box, 'config'), ...env });
    this.words = words;
    this.ken('index', this.root);
    first();
    await this.serve();
    this.browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage', ...flags] });
    this.project = (await this.api('list_projects', {})).projects[0].id;
    return this;
  }

  ken(...words) {
    return execFileSync(KEN, words, { env: this.env, cwd: this.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async serve(port = 0) {
    this.process = spawn(KEN, ['serve', '--json', '--port', String(port), ...this.words], { env: this.env, cwd: this.box, stdio: ['ignore', 'pipe', 'ignore'] });
    const line = await new Promise((resolve, reject) => {
      createInterface({ input: this.process.stdout }).once('line', resolve);
      this.process.once('exit', (code) => reject(new Error(`ken serve ended with ${code}`)));
    });
    this.url = JSON.parse(line).url;
    this.port = Number(new URL(this.url).port);
  }

  async stop(signal = 'SIGTERM') {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
    await ended;
  }

  async api(name, args, token) {
    const answer = await fetch(`${this.url}/api/v1/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(args),
    });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** A tab. Whatever it says on the console, or throws, is in `said`. */
  async tab({ size = [1280, 800], theme = 'light', ...more } = {}) {
    const context = await this.browser.newContext({ viewport: { width: size[0], height: size[1] }, colorScheme: theme, ...more });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS / 2);
    page.said = [];
    // What a driver of software graphics says is not the page's.
    page.on('console', (m) => /GL Driver Message/.test(m.text()) || page.said.push(`${m.type()}: ${m.text()}`));
    page.on('pageerror', (e) => page.said.push(`error: ${e}`));
    page.on('dialog', (d) => page.said.push(`dialog: ${d.message()}`) && d.dismiss());
    return page;
  }

  address(view, query = {}) {
    return `${this.url}/${view}?${new URLSearchParams({ project: this.project, ...query })}`;
  }

  async close() {
    await this.browser?.close();
    if (this.process && this.process.exitCode === null) await this.stop();
    rmSync(this.box, { recursive: true, force: true });
  }
}

/** Nothing is being loaded any more. */
export async function settle(page) {
  await page.locator('main').waitFor();
  // The server's policy lets a page evaluate no text, which waitForFunction does from its second look on.
  const end = Date.now() + PATIENCE_MS;
  while (!(await page.evaluate(() => document.querySelector('main')?.children.length && !document.querySelector('.spinner')))) {
    if (Date.now() > end) throw new Error('something is still being loaded');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await page.waitForTimeout(150);
}

export const isThere = existsSync(CHROMIUM);
