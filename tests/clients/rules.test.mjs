// SPDX-License-Identifier: MIT
// The rules of a codebase as an agent meets them: set up, index, ask before a change, look at the impact,
// check the health; then the same server started anew. By two SDKs and the Inspector, in both eras.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { binary, env, here, scratch } from './lab.mjs';
import { allRoutes, guardedRoutes, makeShop } from './shop.mjs';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const collections = ['codebase', 'constraints', 'patterns'];

// The server is started where there is no project: the current one is what rag_setup opened.
const outside = path.join(scratch, 'outside');
fs.mkdirSync(outside, { recursive: true });

// Beside the project, which will be removed.
const home = (name) => env(`${name}-home`);

const connect = {
  'sdk 1': async (name) => {
    const client = new Client({ name, version: '1' });
    await client.connect(new StdioClientTransport({ command: binary, args: ['mcp', '--format', 'json'], cwd: outside, env: home(name) }));
    return client;
  },
  'sdk 2, initialize': (name) => connectModern(name, {}),
  'sdk 2, stateless': (name) => connectModern(name, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
};

async function connectModern(name, options) {
  const client = new ModernClient({ name, version: '1' }, options);
  await client.connect(new ModernTransport({ command: binary, args: ['mcp', '--format', 'json'], cwd: outside, env: home(name) }));
  return client;
}

// What a tool answers: the object, which the text holds too.
async function answer(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${result.content[0]?.text}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  assert.equal(Object.keys(result.structuredContent)[0], 'status');
  assert.equal(result.structuredContent.status, 'success');
  return result.structuredContent;
}

async function refusal(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError, true, `${name} ${JSON.stringify(args)} should be refused`);
  assert.match(result.content[0].text, /^Error: /);
  return result.content[0].text;
}

const sum = (counts) => collections.reduce((n, name) => n + counts[name], 0);
const read = (root, file) => fs.readFileSync(path.join(root, file), 'utf8');

async function nothingYet(client) {
  const status = await answer(client, 'rag_status');
  assert.equal(status.initialized, false);
  assert.equal(status.indexed, false);
  for (const [name, args] of [['rag_index', {}], ['rag_health_check', {}],
    ['rag_check_constraints', { change_description: 'add an endpoint' }],
    ['rag_query_impact', { file_path: 'backend/app.js' }]])
    assert.match(await refusal(client, name, args), /rag_setup/, name);
}

async function setUp(client, root) {
  const made = await answer(client, 'rag_setup', { project_root: root });
  assert.equal(made.projectRoot, root);
  assert.equal(made.frontendDetected, 'frontend');
  assert.equal(made.backendDetected, 'backend');
  assert.equal(made.chromaDbPath, `${root}/.rag/collections`);
  assert.ok(made.filesGenerated.includes('ARCHITECTURE.yml'), `${made.filesGenerated}`);
  assert.ok(made.filesGenerated.some((f) => /^docs\/patterns\/[\w-]+\.md$/.test(f)), `${made.filesGenerated}`);
  for (const file of made.filesGenerated)
    assert.ok(fs.statSync(path.join(root, file)).size > 0, file);
  assert.ok(made.patternsDetected.middleware.some((m) => /requireAuth/.test(JSON.stringify(m))));
  assert.match(JSON.stringify(made.patternsDetected.responseFormat), /success/);
  assert.equal(made.message, 'Project initialized. Call rag_index to build search collections.');
  const config = JSON.parse(read(root, '.rag/config.json'));
  for (const key of ['include_extensions', 'exclude_dirs', 'chunk_size', 'chunk_overlap', 'default_results',
    'max_results', 'weights'])
    assert.ok(key in config.config, `.rag/config.json has ${key}`);
  assert.deepEqual([config.projectRoot, config.frontendPath, config.backendPath, config.chromaDbPath],
    [root, 'frontend', 'backend', made.chromaDbPath]);
  assert.ok(fs.statSync(path.join(root, '.rag/collections')).isDirectory());
  // The convention that the routes keep to, with how many do.
  assert.match(read(root, 'ARCHITECTURE.yml'), new RegExp(`requireAuth[^]*${guardedRoutes} of ${allRoutes}`));
}

async function setUpAgain(client, root) {
  const edited = read(root, 'ARCHITECTURE.yml') +
    '  - id: prices-in-cents\n    rule: "Prices MUST be whole numbers of cents, never floating point."\n';
  fs.writeFileSync(path.join(root, 'ARCHITECTURE.yml'), edited);
  const again = await answer(client, 'rag_setup', { project_root: root });
  assert.deepEqual(again.filesGenerated, []);
  assert.equal(read(root, 'ARCHITECTURE.yml'), edited);
  await answer(client, 'rag_setup', { project_root: root, force: true });
  assert.match(read(root, 'ARCHITECTURE.yml'), /Prices MUST be whole numbers of cents/);
}

async function index(client, root) {
  const done = await answer(client, 'rag_index');
  assert.equal(done.projectRoot, root);
  assert.ok(done.filesIndexed >= 50, `${done.filesIndexed} files`);
  for (const name of collections)
    assert.ok(done.collectionStats[name] > 0, name);
  assert.equal(done.chunksCreated, sum(done.collectionStats));
  assert.deepEqual(done.errors, []);
  assert.ok(done.duration >= 0);
  assert.equal(done.message, `Indexed ${done.filesIndexed} files (${done.chunksCreated} chunks). ` +
    'Use rag_check_constraints to query.');
  const status = await answer(client, 'rag_status');
  assert.equal(status.initialized, true);
  assert.equal(status.projectRoot, root);
  assert.equal(status.indexed, true);
  assert.match(status.lastIndexed, isoTime);
  assert.deepEqual(status.collectionCounts, done.collectionStats);
  assert.equal(status.totalChunks, done.chunksCreated);
  return status;
}

function checkResults(list, type, limit) {
  assert.ok(list.length > 0 && list.length <= limit, `${list.length} of type ${type}`);
  for (const r of list) {
    assert.equal(r.type, type);
    assert.ok(r.content.length > 0 && !r.filePath.startsWith('/'), r.filePath);
    assert.ok(r.relevance >= 0 && r.relevance <= 1, `${r.relevance}`);
  }
}

const counted = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

async function askBeforeChange(client) {
  const query = 'Add a POST endpoint for wish lists, for customers who are signed in';
  const found = await answer(client, 'rag_check_constraints', { change_description: `  ${query} `, num_results: 3 });
  assert.equal(found.query, query);
  checkResults(found.constraints, 'constraint', 3);
  checkResults(found.patterns, 'pattern', 3);
  checkResults(found.examples, 'code', 3);
  assert.match(found.constraints.map((c) => c.content).join('\n'), /requireAuth/);
  for (const c of found.constraints)
    assert.ok(Array.isArray(c.keyRules) && c.keyRules.length <= 10);
  assert.ok(found.patterns.every((p) => p.filePath.startsWith('docs/patterns/')));
  assert.ok(found.examples.every((e) => /^(backend|frontend)\//.test(e.filePath)));
  assert.equal(found.summary, `Found ${counted(found.constraints.length, 'constraint')}, ` +
    `${counted(found.patterns.length, 'pattern')}, ${counted(found.examples.length, 'example')} for this change.`);
  const prices = await answer(client, 'rag_check_constraints', { change_description: 'store a discount as 0.15 of the price' });
  const cents = prices.constraints.slice(0, 3).find((c) => /whole numbers of cents/.test(c.content));
  assert.equal(cents?.filePath, 'ARCHITECTURE.yml');
  assert.ok(cents.keyRules.some((rule) => /^MUST be whole numbers of cents/.test(rule)), `${cents.keyRules}`);
}

// A document that a human writes is there at the next question, without indexing.
async function askAfterEdit(client, root) {
  assert.ok((await answer(client, 'rag_health_check')).warnings.some((w) => /CONSTRAINTS\.md/.test(w)));
  fs.writeFileSync(path.join(root, 'CONSTRAINTS.md'),
    '# Constraints\n\n- E-mail addresses MUST be lower case before they are stored or compared.\n');
  const found = await answer(client, 'rag_check_constraints', { change_description: 'let customers change their email address' });
  assert.equal(found.constraints[0].filePath, 'CONSTRAINTS.md');
  assert.deepEqual(found.constraints[0].keyRules, ['MUST be lower case before they are stored or compared']);
  fs.rmSync(path.join(root, 'CONSTRAINTS.md'));
}

async function impact(client) {
  const service = await answer(client, 'rag_query_impact', { file_path: 'backend/services/orders.js', num_similar: 3 });
  assert.equal(service.filePath, 'backend/services/orders.js');
  for (const name of ['list', 'get', 'create', 'cancel', 'remove'])
    assert.ok(service.exports.includes(name), `exports ${name}: ${service.exports}`);
  const route = service.dependents.find((d) => d.filePath === 'backend/routes/orders.js');
  assert.ok(route?.imports.includes('../services/orders'), JSON.stringify(service.dependents));
  assert.ok(service.similarFiles.length > 0 && service.similarFiles.length <= 3);
  for (const s of service.similarFiles)
    assert.ok(s.filePath !== service.filePath && s.similarity >= 0 && s.similarity <= 1);
  assert.ok(service.similarFiles.some((s) => s.filePath.startsWith('backend/services/')));
  const routes = await answer(client, 'rag_query_impact', { file_path: 'backend/routes/orders.js' });
  assert.equal(routes.apiEndpoints.length, 5);
  assert.ok(routes.apiEndpoints.some((e) => /^POST \S*\/orders$/.test(e)), `${routes.apiEndpoints}`);
  assert.ok(routes.dependents.some((d) => d.filePath === 'backend/app.js'));
  assert.equal(routes.summary, `${counted(routes.exports.length, 'export')}, 5 API endpoints, ` +
    `${counted(routes.dependents.length, 'dependent')}, ${counted(routes.similarFiles.length, 'similar file')}.`);
  const sockets = await answer(client, 'rag_query_impact', { file_path: 'backend/sockets.js' });
  assert.ok(sockets.websocketEvents.includes('cart:watch'), `${sockets.websocketEvents}`);
  assert.ok(sockets.dependents.length >= 8, `${sockets.dependents.length} dependents`);
}

async function health(client) {
  const report = await answer(client, 'rag_health_check');
  assert.equal(report.healthy, true, JSON.stringify(report.issues));
  for (const name of collections)
    assert.ok(report.collections[name].exists && report.collections[name].chunks > 0, name);
  assert.deepEqual(report.constraintFiles,
    { 'ARCHITECTURE.yml': true, 'CONSTRAINTS.md': false, 'CLAUDE.md': false });
  assert.equal(report.queryTest, 'passed');
  assert.match(report.lastIndexed, isoTime);
  assert.deepEqual(report.issues, []);
  assert.ok(report.warnings.includes('Missing constraint file: CONSTRAINTS.md'), `${report.warnings}`);
}

async function refusals(client, root) {
  const check = (args) => refusal(client, 'rag_check_constraints', args);
  assert.match(await check({}), /change_description is required/);
  assert.match(await check({ change_description: 'ab' }), /change_description.*2 characters.*3/);
  assert.match(await check({ change_description: ' ab  ' }), /2 characters/);
  assert.match(await check({ change_description: 'x'.repeat(2001) }), /2001 characters.*2000/);
  assert.match(await check({ change_description: 'add a page', num_results: 0 }), /num_results.*0 is under 1/);
  assert.match(await check({ change_description: 'add a page', num_results: 21 }), /num_results.*21 is over 20/);
  assert.match(await check({ change_description: 'add a page', num_result: 2 }), /did you mean 'num_results'/);
  const impactOf = (args) => refusal(client, 'rag_query_impact', args);
  assert.match(await impactOf({ file_path: 'backend/none.js' }), /backend\/none\.js.*rag_index/s);
  assert.match(await impactOf({ file_path: '../outside/x.js' }), /\.\.\/outside\/x\.js/);
  assert.match(await impactOf({ file_path: 'backend/app.js', num_similar: 21 }), /num_similar.*21 is over 20/);
  const setup = (args) => refusal(client, 'rag_setup', args);
  assert.match(await setup({}), /project_root is required/);
  assert.match(await setup({ project_root: path.join(scratch, 'nowhere') }), /project_root.*nowhere.*No such file/);
  assert.match(await setup({ project_root: path.join(root, 'README.md') }), /project_root.*README\.md' is not a folder/);
  assert.match(await setup({ project_root: root, frontend_path: 'webapp' }), /frontend_path.*webapp/);
  assert.match(await refusal(client, 'rag_index', { project_root: outside }), /\.rag.*rag_setup/s);
}

// What cannot be read is named with its place, and left as it is.
async function brokenDocument(client, root) {
  const file = path.join(root, 'ARCHITECTURE.yml');
  const good = fs.readFileSync(file, 'utf8');
  const bad = 'version: 1\nconstraints:\n  - id: a\n    rule: "never closed\n';
  fs.writeFileSync(file, bad);
  assert.match(await refusal(client, 'rag_setup', { project_root: root, force: true }),
    /ARCHITECTURE\.yml.*(line|:)\s*\d+.*(column|:)\s*\d+/s);
  assert.equal(fs.readFileSync(file, 'utf8'), bad);
  fs.writeFileSync(file, good);
}

for (const [how, open] of Object.entries(connect)) {
  test(`rules, ${how}: the manual test sequence, and again after a restart`, async (t) => {
    const name = `rules-${how.replace(/\W+/g, '-')}`;
    const root = makeShop(name);
    let client = await open(name);
    t.after(() => client.close());
    await nothingYet(client);
    await setUp(client, root);
    await setUpAgain(client, root);
    const before = await index(client, root);
    await askBeforeChange(client);
    await askAfterEdit(client, root);
    await impact(client);
    await health(client);
    await refusals(client, root);
    await brokenDocument(client, root);
    await client.close();

    client = await open(name);
    assert.deepEqual(await answer(client, 'rag_status'), before);
    await askBeforeChange(client);
    await health(client);
    fs.rmSync(root, { recursive: true });
    assert.match(await refusal(client, 'rag_health_check'), new RegExp(name));
    await client.close();
  });
}

const inspector = path.join(here, 'node_modules', '@modelcontextprotocol', 'inspector', 'clients',
  'launcher', 'build', 'index.js');

// One process for each call: what is remembered is on the disk.
function inspect(name, era, tool, args) {
  return new Promise((done) => {
    const child = spawn(process.execPath,
      [inspector, '--cli', binary, 'mcp', '--protocol-era', era, '--format', 'json', '-q', '--method', 'tools/call',
        '--tool-name', tool, '--tool-args-json', JSON.stringify({ ...args, format: 'json' })],
      { cwd: outside, env: home(name), stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', err = '';
    child.stdout.on('data', (d) => { out += d; });
    child.stderr.on('data', (d) => { err += d; });
    child.on('close', (code) => done({ code, out, err }));
  });
}

for (const era of ['legacy', 'modern']) {
  test(`rules, inspector, ${era}: each call by a server of its own`, async () => {
    const name = `rules-inspector-${era}`;
    const root = makeShop(name);
    for (const [tool, args, expected] of [
      ['rag_setup', { project_root: root }, /Project initialized/],
      ['rag_index', {}, /Indexed \d+ files/],
      ['rag_status', {}, /initialized\W+true/],
      ['rag_check_constraints', { change_description: 'add an endpoint for wish lists' }, /requireAuth/],
      ['rag_query_impact', { file_path: 'backend/services/orders.js' }, /backend\/routes\/orders\.js/],
      ['rag_health_check', {}, /healthy\W+true/],
    ]) {
      const r = await inspect(name, era, tool, args);
      assert.equal(r.code, 0, `${tool}: ${r.err}${r.out}`);
      assert.match(r.out, expected, tool);
    }
  });
}
