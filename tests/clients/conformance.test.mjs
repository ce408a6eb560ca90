// SPDX-License-Identifier: MIT
// The official conformance suite: what each revision requires, against the server with the suite's fixtures
// (tests/conformance/mcp_server; KEN_CONFORMANCE_SERVER, default beside the program), and what needs no
// fixtures against the program as it ships.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { binary, here, patience, scratch, Served } from './lab.mjs';

const suite = path.join(here, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const fixtures = process.env.KEN_CONFORMANCE_SERVER ??
  path.join(path.dirname(binary), 'tests', 'ken_conformance_server');
const isDemanded = process.env.KEN_CONFORMANCE_SERVER !== undefined;

// Scenarios and checks that a revision requires of a server, by hand: the suite must not shrink unseen.
const required = {
  '2025-11-25': { scenarios: 30, checks: 69 },
  '2026-07-28': { scenarios: 37, checks: 119 },
};
// Not required, and passed.
const beyond = {
  '2025-11-25': ['server-session-lifecycle', 'server-sse-polling', 'json-schema-2020-12'],
  '2026-07-28': ['http-header-validation', 'json-schema-2020-12'],
};
const withoutFixtures = {
  '2025-11-25': ['server-initialize', 'ping', 'logging-set-level', 'tools-list', 'resources-list', 'prompts-list',
    'dns-rebinding-protection', 'server-sse-multiple-streams', 'server-session-lifecycle'],
  '2026-07-28': ['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection',
    'server-sse-multiple-streams', 'caching', 'http-header-validation', 'sep-2164-resource-not-found'],
};

function runSuite(...args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [suite, ...args],
      { cwd: scratch, env: { PATH: process.env.PATH, HOME: scratch }, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (text) => { out += text; });
    child.stderr.on('data', (text) => { out += text; });
    child.on('close', (code) => done({ code, out }));
  });
}

// What a run has found: by scenario, its checks.
function findings(dir) {
  const found = new Map();
  for (const entry of fs.readdirSync(dir)) {
    const name = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry)?.[1];
    if (name)
      found.set(name, JSON.parse(fs.readFileSync(path.join(dir, entry, 'checks.json'), 'utf8')));
  }
  return found;
}

const count = (checks, status) => checks.filter((c) => c.status === status).length;
const complaints = (checks) => checks.filter((c) => c.status === 'FAILURE' || c.status === 'WARNING')
  .map((c) => `${c.status} ${c.id}: ${c.errorMessage}`);

async function judge(served, name, ...args) {
  const dir = path.join(scratch, `conformance-${name}`);
  const run = await runSuite('server', '--url', served.mcp, '--timeout', `${30000 * patience}`, '-o', dir, ...args);
  return { ...run, found: findings(dir) };
}

async function namesRequired(revision) {
  const { out } = await runSuite('list', '--requirements', revision);
  const servers = out.slice(out.indexOf('Server scenarios'), out.indexOf('Client scenarios'));
  return [...servers.matchAll(/^ *- (\S+)/gm)].map((m) => m[1]);
}

const isThere = fs.existsSync(fixtures);
const skip = isThere || isDemanded ? false : `no ${fixtures}; build the target ken_conformance_server`;

describe('the server with fixtures', { skip }, () => {
  let served;
  before(async () => { served = await Served.start('conformance', { command: fixtures, args: [] }); });
  after(() => served?.stop());

  for (const [revision, wanted] of Object.entries(required)) {
    test(`conformance ${revision}: all that is required`, async (t) => {
      const { code, out, found } = await judge(served, revision, '--requirements', revision);
      const names = await namesRequired(revision);
      const checks = names.flatMap((name) => found.get(name) ?? []);
      assert.deepEqual(complaints(checks), [], out);
      assert.equal(code, 0, out);
      assert.equal(names.length, wanted.scenarios);
      const passed = count(checks, 'SUCCESS');
      t.diagnostic(`${revision}: ${names.length} required scenarios, ${passed} checks passed`);
      assert.ok(passed >= wanted.checks, `${passed} checks passed`);
    });

    test(`conformance ${revision}: beyond what is required`, async (t) => {
      for (const name of beyond[revision]) {
        const { found } = await judge(served, `beyond-${revision}-${name}`, '--scenario', name, '--spec-version', revision);
        const checks = found.get(name) ?? [];
        assert.deepEqual(complaints(checks), [], name);
        t.diagnostic(`${revision}: ${name}: ${count(checks, 'SUCCESS')} checks passed`);
        assert.ok(count(checks, 'SUCCESS') > 0, name);
      }
    });
  }

  test('its state of a round cannot be used for another tool, nor be changed', async () => {
    const ask = async (name, more) => {
      const response = await fetch(served.mcp, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json', 'Accept': 'application/json, text/event-stream',
          'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name,
        },
        body: JSON.stringify({
          jsonrpc: '2.0', id: 1, method: 'tools/call', params: {
            name, arguments: {}, ...more,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
            },
          },
        }),
      });
      return response.json();
    };
    const answers = { confirm: { action: 'accept', content: { ok: true } } };
    const one = 'test_input_required_result_request_state', other = 'test_input_required_result_tampered_state';
    const { requestState } = (await ask(one)).result;
    const again = (await ask(other, { inputResponses: answers, requestState })).error;
    assert.equal(again?.code, -32602);
    const [round, , signature] = requestState.split('.');
    const later = `${round}.${Date.now() + 1e9}.${signature}`;
    assert.equal((await ask(one, { inputResponses: answers, requestState: later })).error?.code, -32602);
    assert.equal((await ask(one, { inputResponses: answers, requestState })).result?.resultType, 'complete');
  });
});

describe('the program as it ships', () => {
  let served;
  before(async () => { served = await Served.start('conformance-ken'); });
  after(() => served?.stop());

  for (const [revision, names] of Object.entries(withoutFixtures)) {
    test(`conformance ${revision}, without fixtures`, async (t) => {
      let passed = 0;
      for (const name of names) {
        const { found } = await judge(served, `ken-${revision}-${name}`, '--scenario', name, '--spec-version', revision);
        const checks = found.get(name) ?? [];
        assert.deepEqual(complaints(checks), [], name);
        assert.ok(count(checks, 'SUCCESS') > 0, name);
        passed += count(checks, 'SUCCESS');
      }
      t.diagnostic(`${revision}: ${names.length} scenarios, ${passed} checks passed`);
    });
  }
});
