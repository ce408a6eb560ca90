// SPDX-License-Identifier: MIT
// The official SDKs of other languages (python, go, rust beside this file), over stdio and HTTP, in both eras.
// Each folder is a program that lists, calls, cancels, subscribes and comes back after its connection broke;
// it is built here when its tools and packages can be had, and skipped, with the reason, when not. Python is
// never skipped in CI.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { binary, built, env, here, ken, makeLargeProject, makeProject, patience, pythonOf, Served } from './lab.mjs';

const project = makeProject('languages-project');
const large = makeLargeProject('languages-large', 1500, 20);

// ---- building the programs -----------------------------------------------------------------------

function has(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

// Runs what builds a program; what it said when it failed.
function failure(cwd, command, ...args) {
  const run = spawnSync(command, args, { cwd, encoding: 'utf8', env: process.env });
  return run.status === 0 ? null : `${command} ${args[0]} failed: ${(run.stderr || String(run.error)).slice(-600)}`;
}

// The command of a program, or why there is none.
const programs = {
  python: () => {
    const { python, why } = pythonOf(path.join('python', 'requirements.txt'));
    return why ? { why } : { command: [python, path.join(here, 'python', 'client.py')] };
  },
  go: () => {
    const program = path.join(built, 'go', 'client');
    if (!has('go', 'version'))
      return { why: 'go is needed' };
    const why = failure(path.join(here, 'go'), 'go', 'build', '-mod=readonly', '-o', program, '.');
    return why ? { why } : { command: [program] };
  },
  rust: () => {
    if (!has('cargo', '--version'))
      return { why: 'cargo is needed' };
    const target = path.join(built, 'rust');
    const why = failure(path.join(here, 'rust'), 'cargo', 'build', '-q', '--locked', '--target-dir', target);
    return why ? { why } : { command: [path.join(target, 'debug', 'ken-client')] };
  },
};


// ---- a network that breaks when it is told to ----------------------------------------------------

class Network {
  static async start(url) {
    const n = new Network();
    const to = new URL(url);
    n.open = new Set();
    n.proxy = net.createServer((client) => {
      const server = net.connect(Number(to.port), to.hostname);
      for (const [from, other] of [[client, server], [server, client]]) {
        n.open.add(from);
        from.on('error', () => {});
        from.on('close', () => { n.open.delete(from); other.destroy(); });
        from.pipe(other);
      }
    });
    n.control = http.createServer((request, response) => {
      n.open.forEach((socket) => socket.destroy());
      response.end('cut\n');
    });
    for (const server of [n.proxy, n.control])
      await new Promise((done) => server.listen(0, '127.0.0.1', done));
    n.url = `http://127.0.0.1:${n.proxy.address().port}${to.pathname}`;
    n.cut = `http://127.0.0.1:${n.control.address().port}/`;
    return n;
  }

  stop() {
    this.open.forEach((socket) => socket.destroy());
    this.proxy.close();
    this.control.close();
  }
}

// ---- the tests -------------------------------------------------------------------------------------

let served, network;

before(async () => {
  for (const name of ['languages-http', 'languages-stdio']) {
    ken(name, project, 'index');
    ken(name, large, 'index');
  }
  served = await Served.start('languages-http');
  network = await Network.start(served.mcp);
});

after(async () => {
  network?.stop();
  await served?.stop();
});

// The wire that a program is told to use, and whose data folder it has. Where a server has the same folder, it
// answers in the end; to the client that is all the same, so one language tries it.
const transports = {
  stdio: ['stdio', 'languages-stdio'],
  HTTP: ['HTTP', 'languages-stdio'],
  'stdio beside a server': ['stdio', 'languages-http'],
};
const transportsOf = (language) => Object.keys(transports).slice(0, language === 'python' ? 3 : 2);

function run(command, transport, era) {
  const [wire, home] = transports[transport];
  const [file, ...args] = [...command, wire, era];
  const lab = {
    ...env(home), KEN_BINARY: binary, LAB_PROJECT: project, LAB_LARGE: large,
    LAB_URL: network.url, LAB_CUT: network.cut, LAB_PATIENCE: String(patience),
  };
  return new Promise((done) => {
    execFile(file, args, { cwd: project, env: lab, timeout: 60000 * patience, encoding: 'utf8' },
      (error, out, err) => done({ error, out, err }));
  });
}

for (const [language, make] of Object.entries(programs)) {
  test(`sdk of ${language}`, async (t) => {
    const { command, why } = make();
    if (why && language === 'python' && process.env.CI === 'true')
      assert.fail(why);
    if (why) {
      t.diagnostic(`sdk of ${language}: skipped: ${why}`);
      t.skip(why);
      return;
    }
    for (const transport of transportsOf(language)) {
      for (const era of ['legacy', 'modern']) {
        await t.test(`sdk of ${language}, ${transport}, ${era}: lists, calls, cancels, subscribes, comes back`, async () => {
          const { error, out, err } = await run(command, transport, era);
          assert.ok(!error, `${out}\n${err.slice(-3000)}`);
          assert.deepEqual(out.trim().split('\n'), ['lists', 'calls', 'cancels', 'subscribes', 'comes back']);
        });
      }
    }
  });
}
