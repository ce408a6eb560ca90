// SPDX-License-Identifier: MIT
// The program on a raw wire: every byte of stdout, time to start, cancellation, end of input.
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import Ajv2020 from 'ajv/dist/2020.js';

import { Served, Wire, binary, makeLargeProject, makeProject, modernMeta, patience, sleep } from './lab.mjs';

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'wire', version: '1' },
};
const project = makeProject('wire-project');
const large = makeLargeProject('wire-large');
const tree = makeLargeProject('wire-tree'); // a work tree, which a first question indexes
spawnSync('git', ['init', '--quiet', tree]);
const slow = [undefined, { KEN_JOBS: '1' }]; // so that it takes seconds anywhere

test('a session is not sent the same code twice, a stateless client says what it has seen', async () => {
  const w = new Wire('seen', project);
  const wanted = 'time.sleep(2 ** attempt)';
  const context = async (more, meta) => (await w.call('build_context', { query: 'RetryPolicy.run', ...more }, meta))
    .result.structuredContent;
  const modern = [await context({}, modernMeta), await context({}, modernMeta)];
  for (const answer of modern)
    assert.ok(answer.context.includes(wanted), 'nothing is inferred from earlier requests');
  assert.ok(!(await context({ seen: modern[0].seen }, modernMeta)).context.includes(wanted));
  await w.request('initialize', initialize);
  assert.ok((await context()).context.includes(wanted));
  const again = await context();
  assert.ok(!again.context.includes(wanted));
  assert.ok(again.seen_is_kept && again.parts.some((part) => part.sent_before));
  assert.ok((await context({ seen: '' })).context.includes(wanted));
  await w.end();
});

test('a tool that was switched off on a page is not offered without a server either', async () => {
  const names = async () => {
    const w = new Wire('switched', project);
    await w.request('initialize', initialize);
    const list = (await w.request('tools/list', {})).result.tools.map((t) => t.name);
    const call = await w.call('outline', { file_path: 'src/retry.py' });
    await w.end();
    return [list, call];
  };
  const turn = async (is_enabled) => {
    const served = await Served.start('switched');
    const answer = await fetch(`${served.url}/api/v1/tools`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'outline', is_enabled }),
    });
    assert.equal(answer.status, 200);
    await served.stop();
  };
  const all = (await names())[0];
  await turn(false);
  const [some, refused] = await names();
  assert.deepEqual(some, all.filter((name) => name !== 'outline'));
  assert.match(refused.error.message, /outline/);
  await turn(true);
  const [again, answered] = await names();
  assert.deepEqual(again, all);
  assert.equal(answered.result.isError, false);
});

test('a whole conversation, and not one byte beside it', async () => {
  const w = new Wire('conversation', project);
  await w.request('initialize', initialize);
  w.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const found = (await w.call('search_code', { query: 'retry after connection error' })).result;
  assert.equal(found.isError, false);
  assert.deepEqual(JSON.parse(found.content[0].text), found.structuredContent);
  const hit = found.structuredContent.results[0];
  assert.equal(hit.file_path, 'src/retry.py');
  for (const name of ['chunk_id', 'content', 'start_line', 'end_line', 'symbol_name', 'chunk_type',
    'language', 'similarity_score', 'score', 'context_before', 'context_after', 'commit_hash', 'url'])
    assert.ok(name in hit, `a result has ${name}`);
  assert.match(hit.url, /^https:\/\/github\.com\/sample\/sample\/blob\/[0-9a-f]{40}\/src\/retry\.py#L\d+/);
  const source = (await w.call('nodeSource', { id: hit.chunk_id })).result.structuredContent;
  assert.equal(source.file_path, 'src/retry.py');
  assert.equal(source.start_line, hit.start_line);
  const outline = (await w.call('outline', { file_path: 'src/retry.py' })).result.structuredContent;
  const klass = outline.symbols.find((s) => s.name === 'RetryPolicy');
  assert.deepEqual(klass.children.map((c) => c.name), ['__init__', 'run']);
  const node = (await w.call('nodeSource', { id: klass.children[1].id })).result.structuredContent;
  assert.match(node.content, /def run\(self, call\)/);
  const defined = (await w.call('get_definition', { symbol_name: 'parse_number' })).result;
  assert.equal(defined.structuredContent.definitions[0].file_path, 'src/parse.c');
  const chunks = (await w.call('search', { query: 'decimal number', topK: 1 })).result;
  assert.equal(chunks.structuredContent.results[0].symbol_name, 'parse_number');
  const status = (await w.call('get_repo_status', {})).result.structuredContent;
  assert.equal(status.status, 'ready');
  assert.equal(status.pending_changes.total, 0);
  const projects = (await w.call('list_projects', {})).result.structuredContent;
  assert.equal(projects.projects[0].root, project);
  const text = (await w.call('search_code', { query: 'parse_number', format: 'text' })).result;
  assert.match(text.content[0].text, /src\/parse\.c:\d+-\d+/);
  assert.equal(text.structuredContent, undefined);
  const how = await w.end();
  assert.deepEqual([how.code, how.signal], [0, null]);
  assert.deepEqual(w.noise, []);
});

test('what goes wrong is said, with what to do', async () => {
  const w = new Wire('wrong', project);
  const say = async (name, args) => {
    const r = (await w.call(name, args)).result;
    assert.equal(r.isError, true);
    assert.match(r.content[0].text, /^Error: /);
    return r.content[0].text;
  };
  assert.match(await say('search_code', { query: '' }), /query must not be empty/);
  assert.match(await say('search_code', { query: 'x', limit: 99 }), /99 is over 50/);
  assert.match(await say('search_code', { query: 'x', limit: 5, max_results: 6 }), /different values/);
  assert.match(await say('search_code', { query: 'x', file_type: '.py' }), /leading dot/);
  assert.match(await say('search_code', { query: 'x', chunk_type: 'nonsense' }), /none of/);
  assert.match(await say('search_code', { query: '(', search_type: 'regex' }), /./);
  assert.match(await say('search_code', { query: 'x', project: 'no such' }), /list_projects/);
  assert.match(await say('get_definition', { symbol_name: 'parse_numbr' }), /parse_number/);
  assert.match(await say('outline', { file_path: 'src/none.py' }), /./);
  assert.match(await say('outline', { file_path: '../outside' }), /./);
  assert.match(await say('outline', { file_path: '/etc/passwd' }), /./);
  assert.match(await say('nodeSource', { id: 'nonsense' }), /chunk_id/);
  assert.match(await say('nodeSource', { id: '00000000-0000-0000-0000-000000000000' }), /search again/);
  assert.match(await say('nodeSource', { id: 'src/parse.c#none' }), /outline/);
  assert.match(await say('index_repository', {}), /repo_path/);
  assert.match(await say('index_repository', { path: '/no/such/folder' }), /./);
  assert.match(await say('index_repository', { path: project, max_file_size: 0 }), /under 1/);
  assert.match(await say('index_repository', { path: project, include_patterns: ['['] }), /include_patterns/);
  await w.end();
  assert.deepEqual(w.noise, []);
});

test('schemas are valid, and tools take what they describe', async () => {
  const w = new Wire('schemas', project);
  const ajv = new Ajv2020({ strict: true });
  const { tools } = (await w.request('tools/list')).result;
  for (const tool of tools) {
    ajv.compile(tool.inputSchema);
    assert.match(tool.name, /^[a-zA-Z0-9_-]{1,50}$/);
    assert.ok(tool.title && tool.description);
  }
  const modern = (await w.request('tools/list', { _meta: modernMeta })).result;
  assert.deepEqual(modern.tools, tools);
  assert.equal(modern.resultType, 'complete');
  await w.end();
});

test('the list of tools and default answers cost few tokens', async () => {
  const w = new Wire('cost', project, ['mcp']);
  const { tools } = (await w.request('tools/list')).result;
  assert.ok(o200k(JSON.stringify(tools)) <= 5000, `${o200k(JSON.stringify(tools))} tokens for the list`);
  const search = tools.slice(0, 11);
  assert.equal(search.at(-1).name, 'nodeSource');
  assert.ok(o200k(JSON.stringify(search)) <= 2200, `${o200k(JSON.stringify(search))} tokens for the set search`);
  const found = (await w.request('tools/call', { name: 'search_code', arguments: { query: 'where are baskets kept' } })).result;
  assert.equal(found.isError, false);
  assert.equal(found.structuredContent, undefined);
  assert.ok(o200k(found.content[0].text) <= 1500);
  const failed = (await w.request('tools/call', { name: 'get_definition', arguments: { symbol_name: 'noSuchThing' } })).result;
  assert.equal(failed.structuredContent.error.code, 'ENOTFOUND');
  await w.end();
});

test('default answers fit, whatever is asked', async (t) => {
  const w = new Wire('fit', large, ['mcp']);
  t.after(() => w.end());
  await w.request('initialize', initialize);
  const cost = async (name, args) => {
    const answer = (await w.request('tools/call', { name, arguments: args })).result;
    assert.equal(answer.isError, false, JSON.stringify(answer.content));
    return o200k(answer.content[0].text);
  };
  await cost('index_repository', { path: large });
  const questions = ['where is the total computed', 'function', 'how are items kept and who reads them',
    'class', 'module_1 item', 'value = compute', 'what happens when a step fails'];
  for (const query of questions) {
    const tokens = await cost('search_code', { query });
    assert.ok(tokens <= 1500, `${tokens} tokens for search_code ${query}`);
  }
  const found = (await w.request('tools/call', { name: 'search_code',
    arguments: { query: 'unit_7_step_3', format: 'json', limit: 5 } })).result.structuredContent;
  const names = found.results.map((r) => r.symbol_name).filter(Boolean);
  assert.ok(names.length > 0);
  for (const name of names) {
    const usages = await cost('find_usages', { symbol_name: name });
    assert.ok(usages <= 1200, `${usages} tokens for find_usages ${name}`);
    const impact = await cost('query_impact', { symbol: name });
    assert.ok(impact <= 1200, `${impact} tokens for query_impact ${name}`);
  }
  for (const args of [{}, { focus_area: 'backend' }]) {
    const tokens = await cost('get_architecture', args);
    assert.ok(tokens <= 2000, `${tokens} tokens for get_architecture`);
  }
});

test('both eras in one process, one of them after the other', async () => {
  const w = new Wire('eras', project);
  const discovered = (await w.request('server/discover', { _meta: modernMeta })).result;
  const greeted = (await w.request('initialize', initialize)).result;
  assert.equal(discovered.instructions, greeted.instructions);
  assert.deepEqual(discovered.capabilities, greeted.capabilities);
  const modern = (await w.request('tools/call', { name: 'list_projects', _meta: modernMeta })).result;
  assert.equal(modern.resultType, 'complete');
  const legacy = (await w.call('list_projects', {})).result;
  assert.equal(legacy.resultType, undefined);
  await w.end();
});

test('requests that were piped in are answered', async () => {
  const w = new Wire('piped', project);
  await w.call('search_code', { query: 'warm' });
  for (let id = 100; id < 110; id++)
    w.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'search_code', arguments: { query: 'number' } } });
  const how = await w.end();
  assert.equal(how.code, 0);
  const ids = w.messages.map((m) => m.id).filter((id) => id >= 100).sort();
  if (patience === 1)
    assert.deepEqual(ids, [100, 101, 102, 103, 104, 105, 106, 107, 108, 109]);
});

test('first questions that come at once are all answered', async () => {
  const w = new Wire('at-once', makeProject('wire-at-once'));
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((i) =>
    w.call('search_code', { query: i % 2 ? 'retry' : 'number' })));
  for (const a of answers) {
    assert.equal(a.result.isError, false, JSON.stringify(a));
    assert.ok(a.result.structuredContent.results.length > 0);
  }
  await w.end();
});

test('starting is fast', async (t) => {
  const times = [];
  for (let i = 0; i < 15; i++) {
    const start = performance.now();
    const w = new Wire('start', project);
    await w.request('initialize', initialize);
    times.push(performance.now() - start);
    await w.end();
  }
  times.sort((a, b) => a - b);
  t.diagnostic(`spawn to initialize answered: median ${times[7].toFixed(1)} ms, best ${times[0].toFixed(1)} ms`);
  assert.ok(times[7] < 150 * patience, `${times[7]} ms`);
});

const indexing = (m) => m.method === 'notifications/progress' && /^indexing/.test(m.params.message);

test('cancelling really stops an indexing run', async (t) => {
  const w = new Wire('cancel', large);
  await w.request('initialize', initialize);
  w.send({
    jsonrpc: '2.0', id: 'slow', method: 'tools/call',
    params: { name: 'index_repository', arguments: { path: large }, _meta: { progressToken: 'p' } },
  });
  await w.wait(indexing);
  w.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
  await w.request('ping');
  await sleep(500 * patience);
  const before = w.ticks();
  await sleep(500);
  const used = w.ticks() - before;
  t.diagnostic(`processor time in the half second after it was cancelled: ${used * 10} ms`);
  assert.ok(used <= 5, `${used} ticks`);
  assert.equal(w.messages.find((m) => m.id === 'slow'), undefined);
  const seen = w.messages.filter((m) => m.method === 'notifications/progress').map((m) => m.params.progress);
  assert.deepEqual(seen, [...new Set(seen)].sort((a, b) => a - b));
  // What it had committed on its way is there, and is told to be a part.
  const status = (await w.call('get_repo_status', { project: large })).result.structuredContent;
  assert.match(status.status, /^(not_indexed|partial)$/);
  await w.end();
  assert.deepEqual(w.noise, []);
});

test('a first index that takes long answers on its way, and says so', async (t) => {
  const w = new Wire('partial', tree, ...slow);
  await w.request('initialize', initialize);
  const ask = async (name, args) => {
    const began = performance.now();
    const answer = (await w.call(name, args)).result;
    return { ...answer, ms: performance.now() - began, body: answer.structuredContent };
  };
  const query = { query: 'where is the value of a step computed' };
  const first = await ask('search_code', query);
  t.diagnostic(`first answer after ${first.ms.toFixed(0)} ms: ${first.body.incomplete}`);
  assert.equal(first.isError, false);
  assert.ok(first.body.results.length > 0);
  assert.match(first.body.incomplete, /^partial index: [\d,]+ of [\d,]+ files are in it; the others are being read/);
  const unknown = await ask('query_impact', { file_path: 'part49/unit_999.c' }); // of the last ones
  assert.match(unknown.content[0].text, /partial index: [^]*was not looked at yet/);
  const outside = await ask('query_impact', { file_path: binary }); // which is there, and nobody's business
  assert.doesNotMatch(outside.content[0].text, /looked at/);
  const nobody = await ask('find_usages', { symbol_name: 'nobody_calls_this' });
  assert.match(nobody.content[0].text, /partial index: /);
  const status = (await ask('get_repo_status', {})).body;
  assert.equal(status.status, 'partial');
  assert.ok(status.indexing.files_total > status.indexing.files_done);
  const listed = (await ask('list_projects', {})).body.projects[0];
  assert.equal(listed.status, 'indexing');
  assert.equal(listed.indexing.pid, status.indexing.pid);
  const beside = new Wire('partial', tree, ...slow); // another process answers from the same generations
  await beside.request('initialize', initialize);
  const other = (await beside.call('search_code', query)).result.structuredContent;
  assert.match(other.incomplete, /^partial index: /);
  await beside.end();
  let n = 0;
  for (let body = first.body; body.incomplete; n++) {
    await sleep(500);
    body = (await ask('search_code', query)).body;
    assert.ok(n < 600 * patience, body.incomplete);
  }
  assert.equal((await ask('get_repo_status', {})).body.status, 'ready');
  await w.end();
  assert.deepEqual(w.noise, []);
});

test('a first index ends with its process, and goes on in the next', async () => {
  const w = new Wire('partial-again', tree, ...slow);
  await w.request('initialize', initialize);
  const first = (await w.call('search_code', { query: 'value of a step' })).result.structuredContent;
  const how = await w.end();
  assert.deepEqual([how.code, how.signal], [0, null]);
  const done = (body) => Number(/^partial index: ([\d,]+) of/.exec(body.incomplete)?.[1].replaceAll(',', '') ?? Infinity);
  const again = new Wire('partial-again', tree, ...slow);
  await again.request('initialize', initialize);
  const second = (await again.call('search_code', { query: 'value of a step' })).result.structuredContent;
  assert.ok(done(second) >= done(first), `${second.incomplete}, ${first.incomplete}`);
  await again.end();
});

test('pings are answered while indexing', async (t) => {
  const w = new Wire('ping', large);
  w.send({
    jsonrpc: '2.0', id: 'slow', method: 'tools/call',
    params: { name: 'index_repository', arguments: { path: large }, _meta: { progressToken: 1 } },
  });
  await w.wait(indexing);
  let worst = 0;
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    await w.request('ping');
    worst = Math.max(worst, performance.now() - start);
  }
  t.diagnostic(`slowest of 20 pings: ${worst.toFixed(1)} ms`);
  assert.ok(worst < 500 * patience);
  const how = await w.end();
  t.diagnostic(`end of input to exit, while indexing: ${how.ms.toFixed(1)} ms`);
  // What was received is answered: the run ends, or is stopped after some 10 s with an answer that says so.
  assert.ok(how.ms < 10_000 + 500 * patience, `${how.ms} ms`);
  assert.ok(w.messages.some((m) => m.id === 'slow' && (m.result || m.error)), 'the call was not answered');
  assert.deepEqual([how.code, how.signal], [0, null]);
  const again = new Wire('ping', large); // the same data folder: nothing is damaged or locked
  const status = (await again.call('get_repo_status', { project: large })).result;
  assert.equal(status.isError, false);
  await again.end();
});
