// SPDX-License-Identifier: MIT
// What the client tests share: the program, a project to ask about, a raw wire.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export const here = path.dirname(fileURLToPath(import.meta.url));
export const binary = path.resolve(
  process.env.KEN_BINARY ?? path.join(here, '..', '..', 'build', 'release', 'ken'));

export const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'ken-clients-'));
process.on('exit', () => fs.rmSync(scratch, { recursive: true, force: true }));

// Where KEN_TEST_CLIENT_DATABASE names a server of PostgreSQL, each data folder is a database of its own there.
const server = process.env.KEN_TEST_CLIENT_DATABASE ?? '';
const databases = new Map();

function sql(text) {
  execFileSync(process.env.KEN_TEST_PSQL ?? 'psql', [server, '-qc', text], { stdio: 'ignore' });
}

function database(name) {
  if (!databases.has(name)) {
    const id = `ken_clients_${process.pid}_${databases.size}`;
    sql(`CREATE DATABASE ${id}`);
    databases.set(name, id);
  }
  return server.replace(/\/[^/]*$/, `/${databases.get(name)}`);
}

process.on('exit', () => {
  for (const id of databases.values())
    sql(`DROP DATABASE ${id} WITH (FORCE)`);
});

// Sanitizers and other work on the machine make everything slower; limits are for what hangs.
export const patience = Number(process.env.KEN_TEST_PATIENCE ?? 1);

export function env(name) {
  const dir = path.join(scratch, name);
  fs.mkdirSync(dir, { recursive: true });
  return {
    PATH: process.env.PATH,
    HOME: dir,
    KEN_DATA_DIR: path.join(dir, 'data'),
    ASAN_OPTIONS: process.env.ASAN_OPTIONS ?? '',
    LC_ALL: 'C.UTF-8',
    ...(server ? { DATABASE_URL: database(name) } : {}),
  };
}

function git(dir, ...args) {
  execFileSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args],
    { stdio: 'ignore' });
}

// The commit that a work tree is at.
export function head(dir) {
  return execFileSync('git', ['-C', dir, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
}

// A small git work tree with a remote.
export function makeProject(name) {
  const dir = path.join(scratch, name);
  fs.mkdirSync(path.join(dir, 'src'), { recursive: true });
  fs.writeFileSync(path.join(dir, 'src', 'retry.py'), `"""Retries for calls over the network."""
import time


class RetryPolicy:
    """How often and how long to wait."""

    def __init__(self, attempts=3):
        self.attempts = attempts

    def run(self, call):
        """Calls until it works or the attempts are used up."""
        for attempt in range(self.attempts):
            try:
                return call()
            except ConnectionError:
                time.sleep(2 ** attempt)
        raise TimeoutError("no attempt worked")
`);
  fs.writeFileSync(path.join(dir, 'src', 'parse.c'), `#include <stddef.h>

// Parses a decimal number; -1 when it is none.
int parse_number(const char *text, size_t len)
{
    int n = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        n = n * 10 + (text[i] - '0');
    }
    return n;
}
`);
  fs.writeFileSync(path.join(dir, 'README.md'), '# Sample\n\nRetries and numbers.\n');
  git(dir, 'init', '-q', '-b', 'main');
  git(dir, 'remote', 'add', 'origin', 'git@github.com:sample/sample.git');
  git(dir, 'add', '.');
  git(dir, 'commit', '-qm', 'sample');
  return fs.realpathSync(dir);
}

// A tree that takes a while to index.
export function makeLargeProject(name, files = 4000, functions = 40) {
  const dir = path.join(scratch, name);
  for (let i = 0; i < files; i++) {
    const sub = path.join(dir, `part${i % 50}`);
    if (i < 50)
      fs.mkdirSync(sub, { recursive: true });
    let text = '';
    for (let k = 0; k < functions; k++)
      text += `// Step ${k} of unit ${i}.\nint unit_${i}_step_${k}(int a, int b)\n{\n` +
        `    if (a > ${i + k})\n        return unit_${i}_step_${(k + 1) % functions}(b, a - ${k});\n` +
        `    return a * ${i * 31 + k} + b;\n}\n\n`;
    fs.writeFileSync(path.join(sub, `unit_${i}.c`), text);
  }
  return fs.realpathSync(dir);
}

// Makes every file of it one that was never seen.
export function rewriteLargeProject(dir) {
  for (const file of fs.readdirSync(dir, { recursive: true }))
    if (file.endsWith('.c'))
      fs.appendFileSync(path.join(dir, file), `// ${performance.now()}\n`);
}

export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

// A test that fails ends none of its programs, and no file of tests ends before them.
const wires = new Set();
after(() => wires.forEach((wire) => wire.child.kill('SIGKILL')));

// The program on a raw wire. Every line it writes must be a JSON message.
export class Wire {
  constructor(name, cwd, args = ['mcp', '--format', 'json'], settings = {}) {
    this.child = spawn(binary, args, { cwd, env: { ...env(name), ...settings }, stdio: ['pipe', 'pipe', 'pipe'] });
    this.messages = [];
    this.noise = [];
    this.waiting = [];
    this.rest = '';
    this.errors = '';
    this.nextId = 0;
    this.child.stdout.setEncoding('utf8');
    this.child.stdout.on('data', (text) => this.take(text));
    this.child.stderr.setEncoding('utf8');
    this.child.stderr.on('data', (text) => { this.errors += text; });
    this.child.stdin.on('error', () => {});
    wires.add(this);
    this.exit = new Promise((done) => this.child.on('close', (code, signal) => {
      if (this.rest)
        this.noise.push(this.rest);
      this.waiting.splice(0).forEach((w) => w.fail(new Error(`it ended: ${code} ${signal} ${this.errors}`)));
      wires.delete(this);
      done({ code, signal });
    }));
  }

  take(text) {
    this.rest += text;
    for (let at = this.rest.indexOf('\n'); at >= 0; at = this.rest.indexOf('\n')) {
      const line = this.rest.slice(0, at);
      this.rest = this.rest.slice(at + 1);
      let message;
      try {
        message = JSON.parse(line);
      } catch {
        this.noise.push(line);
        continue;
      }
      if (message.jsonrpc !== '2.0')
        this.noise.push(line);
      this.messages.push(message);
      this.waiting = this.waiting.filter((w) => !w.offer(message));
    }
  }

  send(message) {
    this.child.stdin.write(typeof message === 'string' ? message : JSON.stringify(message) + '\n');
  }

  // The first message from now on (or already there) that `test` accepts.
  wait(test, ms = 30000) {
    const there = this.messages.find(test);
    if (there)
      return Promise.resolve(there);
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`nothing within ${ms} ms; ${this.errors}`)),
        ms * patience);
      const offer = (m) => {
        if (!test(m))
          return false;
        clearTimeout(timer);
        done(m);
        return true;
      };
      this.waiting.push({ offer, fail });
    });
  }

  request(method, params, id = ++this.nextId) {
    this.send({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
    return this.wait((m) => m.id === id && !m.method);
  }

  call(name, args, meta) {
    return this.request('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
  }

  // Closes stdin; how it ended, and after how many milliseconds.
  async end() {
    const start = performance.now();
    this.child.stdin.end();
    const how = await this.exit;
    return { ...how, ms: performance.now() - start };
  }

  ticks() {
    return ticksOf(this.child);
  }
}

// Processor time that a process has used so far, in clock ticks of 10 ms.
function ticksOf(child) {
  const stat = fs.readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

// A server on a port of its own, which says where it is in a line of JSON: the program, or another.
export class Served {
  static async start(name, { command = binary, args = ['serve', '--port', '0', '--json'], cwd = scratch } = {}) {
    const served = new Served();
    served.child = spawn(command, args, { cwd, env: env(name), stdio: ['pipe', 'pipe', 'pipe'] });
    served.errors = '';
    served.child.stderr.setEncoding('utf8');
    served.child.stderr.on('data', (text) => { served.errors += text; });
    served.exit = new Promise((done) => served.child.on('close', (code, signal) => done({ code, signal })));
    process.on('exit', () => served.child.kill('SIGKILL'));
    Object.assign(served, JSON.parse(await served.firstLine()));
    return served;
  }

  firstLine() {
    return new Promise((done, fail) => {
      let text = '';
      this.child.stdout.setEncoding('utf8');
      this.child.stdout.on('data', (more) => {
        text += more;
        if (text.includes('\n'))
          done(text.slice(0, text.indexOf('\n')));
      });
      this.child.on('error', fail);
      this.exit.then((how) => fail(new Error(`it ended: ${how.code} ${how.signal} ${this.errors}`)));
    });
  }

  ticks() {
    return ticksOf(this.child);
  }

  // Until it has nothing to do any more.
  async becomesIdle(ms = 10000) {
    for (const end = performance.now() + ms * patience; performance.now() < end;) {
      const before = this.ticks();
      await sleep(500);
      if (this.ticks() - before <= 5)
        return;
    }
    throw new Error(`it still works after ${ms * patience} ms`);
  }

  async stop() {
    this.child.stdin.end();
    this.child.kill('SIGTERM');
    return this.exit;
  }
}

// What is built for tests, kept between runs.
export const built = path.join(here, '..', '..', 'build', 'clients');

// A Python with the packages of a file of requirements, which has their hashes; or why there is none.
export function pythonOf(requirements) {
  const file = path.join(here, requirements);
  const key = crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex').slice(0, 16);
  const venv = path.join(built, `python-${key}`);
  const python = path.join(venv, 'bin', 'python');
  const run = (command, ...args) => spawnSync(command, args, { cwd: here, encoding: 'utf8' });
  if (run('python3', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))').status !== 0)
    return { why: 'Python 3.10 or newer with venv is needed' };
  if (!fs.existsSync(path.join(venv, 'complete'))) {
    fs.rmSync(venv, { recursive: true, force: true });
    for (const [command, ...args] of [
      ['python3', '-m', 'venv', venv], [python, '-m', 'pip', 'install', '-q', '--require-hashes', '-r', file]]) {
      const how = run(command, ...args);
      if (how.status !== 0)
        return { why: `${command} ${args[0]} failed: ${(how.stderr || String(how.error)).slice(-600)}` };
    }
    fs.writeFileSync(path.join(venv, 'complete'), '');
  }
  return { python };
}

// Runs the program to its end.
export function ken(name, cwd, ...args) {
  return execFileSync(binary, args, { cwd, env: env(name), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
