// SPDX-License-Identifier: MIT
// The Inspector's command line, in every era, with its strict check of schemas.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { binary, env, here, ken, makeProject, Served } from './lab.mjs';

const inspector = path.join(here, 'node_modules', '@modelcontextprotocol', 'inspector', 'clients',
  'launcher', 'build', 'index.js');
const project = makeProject('inspector-project');

let served;

before(async () => {
  ken('inspector-http', project, 'index');
  served = await Served.start('inspector-http');
});

after(() => served?.stop());

const servers = {
  stdio: () => [binary, 'mcp'],
  HTTP: () => [`${served.mcp}/inspector-project`, '--transport', 'http'],
};

function inspect(transport, era, ...args) {
  return new Promise((done) => {
    const child = spawn(process.execPath,
      [inspector, '--cli', ...servers[transport](), '--protocol-era', era, '--format', 'json', '-q', ...args],
      { cwd: project, env: env(`inspector-${era}`), stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', err = '';
    child.stdout.on('data', (d) => { out += d; });
    child.stderr.on('data', (d) => { err += d; });
    child.on('close', (code) => done({ code, out, err }));
  });
}

const eras = ['legacy', 'auto', 'modern'];

for (const [transport, era] of Object.keys(servers).flatMap((t) => eras.map((era) => [t, era]))) {
  test(`inspector, ${transport}, ${era}: tools/list --strict`, async () => {
    const r = await inspect(transport, era, '--method', 'tools/list', '--strict');
    assert.equal(r.code, 0, r.err + r.out);
    assert.match(r.out, /search_code/);
  });

  test(`inspector, ${transport}, ${era}: tools/call`, async () => {
    const r = await inspect(transport, era, '--method', 'tools/call', '--tool-name', 'search_code',
      '--tool-args-json', '{"query":"retry"}');
    assert.equal(r.code, 0, r.err + r.out);
    assert.match(r.out, /src\/retry\.py/);
  });

  test(`inspector, ${transport}, ${era}: resources/list`, async () => {
    const r = await inspect(transport, era, '--method', 'resources/list');
    assert.equal(r.code, 0, r.err + r.out);
    assert.match(r.out, /ken:\/\/projects/);
  });
}
