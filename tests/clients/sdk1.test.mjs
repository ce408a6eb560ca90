// SPDX-License-Identifier: MIT
// The official TypeScript SDK, version 1: the initialize handshake.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { binary, env, head, makeLargeProject, makeProject, patience } from './lab.mjs';

const project = makeProject('sdk1-project');
const problems = [];
let client, transport;

before(async () => {
  transport = new StdioClientTransport({ command: binary, args: ['mcp', '--format', 'json'], cwd: project, env: env('sdk1') });
  client = new Client({ name: 'sdk1', version: '1' });
  client.onerror = (e) => problems.push(e);
  await client.connect(transport);
});

after(() => client.close());

test('sdk 1: it connects and knows the server', () => {
  assert.equal(client.getServerVersion().name, 'ken');
  assert.ok(client.getInstructions().includes('search_code'));
  assert.deepEqual(Object.keys(client.getServerCapabilities()).sort(), ['completions', 'logging', 'prompts', 'resources', 'tools']);
});

test('sdk 1: it lists tools and pings', async () => {
  const { tools } = await client.listTools();
  assert.equal(tools.length, 31);
  await client.ping();
});

test('sdk 1: it searches, indexing first, with progress', async () => {
  const result = await client.callTool(
    { name: 'search_code', arguments: { query: 'where are retries handled' } },
    undefined, { onprogress: () => {}, resetTimeoutOnProgress: true });
  assert.equal(result.structuredContent.results[0].file_path, 'src/retry.py');
});

test('sdk 1: failures are results, unknown tools are errors', async () => {
  const result = await client.callTool({ name: 'get_definition', arguments: { symbol_name: 'nothing' } });
  assert.equal(result.isError, true);
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), { code: -32602 });
});

test('sdk 1: a task is made, taken up, found and deleted', async () => {
  const call = async (name, args) => client.callTool({ name, arguments: args });
  const task = (await call('create_task', {
    title: 'Retry uploads \u{1f41b}', planning_references: ['docs/plan.md'], project,
  })).structuredContent;
  assert.equal(task.status, 'need to be done');
  assert.deepEqual(task.planning_references, ['docs/plan.md']);
  assert.match(task.updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const commit = head(project);
  const taken = (await call('update_task', {
    task_id: task.id, status: 'in-progress', branch: 'retry', commit, if_updated_at: task.updated_at,
  })).structuredContent;
  assert.deepEqual(taken.commits, [commit]);
  assert.deepEqual(taken.history.map((e) => e.event), ['status', 'reference', 'status', 'branch', 'commit']);
  assert.equal(taken.history[0].from, null);
  assert.equal(taken.history[4].message, 'sample');
  const late = await call('update_task', { task_id: task.id, notes: 'late', if_updated_at: task.updated_at });
  assert.equal(late.isError, true);
  assert.ok(late.content[0].text.startsWith('Error: ') && late.content[0].text.includes(taken.updated_at));
  const { tasks } = (await call('list_tasks', { query: 'uploads', branch: 'retry' })).structuredContent;
  assert.equal(tasks[0].id, task.id);
  assert.equal((await call('get_task', { task_id: task.id })).structuredContent.notes, null);
  assert.equal((await call('delete_task', { task_id: task.id })).structuredContent.deleted, true);
  assert.equal((await call('get_task', { task_id: task.id })).isError, true);
  const long = await call('create_task', { title: 'x'.repeat(201) });
  assert.match(long.content[0].text, /title.*201/);
});

test('sdk 1: resources are listed and read', async () => {
  const { resources } = await client.listResources();
  assert.equal(resources[0].uri, 'ken://projects');
  const { contents } = await client.readResource({ uri: resources[1].uri });
  assert.equal(JSON.parse(contents[0].text).status, 'ready');
  const { resourceTemplates } = await client.listResourceTemplates();
  const read = async (name, path) => {
    const { uriTemplate } = resourceTemplates.find((t) => t.name === name);
    const uri = uriTemplate.replace('{project}', encodeURIComponent(project)).replace('{+path}', path);
    return (await client.readResource({ uri })).contents[0];
  };
  assert.match((await read('outline', 'src/parse.c')).text, /parse_number/);
  assert.ok(JSON.parse((await read('architecture', '')).text).summary);
  const file = await read('file', 'src/parse.c');
  assert.equal(file.mimeType, 'text/plain');
  assert.equal(file.text, readFileSync(join(project, 'src/parse.c'), 'utf8'));
  await assert.rejects(read('file', 'src/none.c'), { code: -32002 });
  await assert.rejects(read('file', '../outside.c'), { code: -32002 });
  await assert.rejects(client.readResource({ uri: 'ken://none/status' }), { code: -32002 });
});

test('sdk 1: prompts are listed, and hold what the tools know', async () => {
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.length >= 6);
  const text = async (name, args) =>
    (await client.getPrompt({ name, arguments: args })).messages[0].content.text;
  const explained = await text('explain', { symbol: 'parse_number' });
  assert.match(explained, /^Explain `parse_number`/);
  assert.match(explained, /src\/parse\.c/);
  assert.match(explained, /## Usages/);
  assert.match(await text('tour', {}), /^Give a tour[^[\]{}]*\n\n## Overview/);
  assert.match(await text('tour', { directory: 'src' }), /Only `src` matters\./);
  assert.match(await text('plan_change', { change: 'retry uploads twice' }), /## Rules\n\nFound 0 constraints/);
  await assert.rejects(text('explain', { symbol: 'no_such_symbol_here', project: 'none' }), { code: -32602 });
});

test('sdk 1: arguments are completed', async () => {
  const complete = async (ref, name, value, known) => (await client.complete({
    ref, argument: { name, value }, ...(known ? { context: { arguments: known } } : {}),
  })).completion.values;
  const prompt = { type: 'ref/prompt', name: 'explain' };
  assert.deepEqual(await complete(prompt, 'symbol', 'parse_nu'), ['parse_number']);
  assert.deepEqual(await complete(prompt, 'symbol', ''), []);
  assert.deepEqual(await complete(prompt, 'project', basename(project).slice(0, 3)), [basename(project)]);
  const file = { type: 'ref/resource', uri: 'ken://{project}/file/{+path}' };
  assert.deepEqual(await complete(file, 'path', 'src/par', { project }), ['src/parse.c']);
  assert.deepEqual(await complete(file, 'path', 'parse', { project }), ['src/parse.c']);
  assert.deepEqual(await complete(file, 'path', 'src/par', { project: 'none' }), []);
});

test('sdk 1: an aborted call ends at once', async () => {
  const large = makeLargeProject('sdk1-large', 2000);
  const abort = new AbortController();
  let started;
  const running = new Promise((done) => { started = done; });
  const call = client.callTool({ name: 'index_repository', arguments: { path: large } }, undefined,
    { signal: abort.signal, onprogress: () => started() });
  await running;
  abort.abort();
  await assert.rejects(call);
  const start = performance.now();
  await client.ping();
  assert.ok(performance.now() - start < 500 * patience);
});

test('sdk 1: nothing was out of order', () => {
  assert.deepEqual(problems, []);
});
