// SPDX-License-Identifier: MIT
// The OpenAPI document, as those who use it do: clients are generated from it, compiled, and asked against the real
// server; and what the server answers has the shapes that the document says.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import Ajv2020 from 'ajv/dist/2020.js';

import { env, here, makeProject, patience, pythonOf, scratch, Served } from './lab.mjs';

const modules = path.join(here, 'node_modules');
const project = makeProject('openapi-project');
fs.writeFileSync(path.join(project, 'src', 'main.c'),
  'int parse_number(const char *text, unsigned long len);\n\nint main(void) { return parse_number("1", 1); }\n');
let served, document, folder;

before(async () => {
  const settings = path.join(env('openapi').HOME, '.config', 'ken');
  fs.mkdirSync(settings, { recursive: true });
  fs.writeFileSync(path.join(settings, 'config.yaml'), 'sync:\n  protocols: [file]\n');
  served = await Served.start('openapi');
  document = await (await fetch(`${served.url}/api/v1/openapi.json`)).json();
  folder = path.join(scratch, 'openapi-clients');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'api.json'), JSON.stringify(document));
});

after(() => served?.stop());

function run(command, args, more = {}) {
  const how = spawnSync(command, args, { cwd: folder, encoding: 'utf8', timeout: 120_000 * patience, ...more });
  assert.equal(how.status, 0, `${command} ${args.join(' ')}\n${how.stdout}\n${how.stderr}`);
  return how.stdout;
}

test('a generated TypeScript client compiles with --strict and works', () => {
  const node = process.execPath;
  const tool = (...parts) => path.join(modules, ...parts);
  fs.symlinkSync(modules, path.join(folder, 'node_modules'));
  fs.copyFileSync(path.join(here, 'openapi', 'smoke.ts'), path.join(folder, 'smoke.ts'));
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
  run(node, [tool('openapi-typescript', 'bin', 'cli.js'), 'api.json', '-o', 'api.ts']);
  run(node, [tool('typescript', 'bin', 'tsc'), '--strict', '--noUncheckedIndexedAccess', '--noEmit', '--target', 'es2022',
    '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable',
    'smoke.ts']);
  assert.equal(run(node, ['--experimental-strip-types', '--no-warnings', 'smoke.ts', served.url, project]), 'ok\n');
});

test('a generated Python client works', (t) => {
  const { python, why } = pythonOf(path.join('openapi', 'requirements.txt'));
  if (!python && process.env.CI !== 'true')
    return t.skip(why);
  assert.ok(python, why);
  const bin = path.dirname(python);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PYTHONPATH: folder };
  const said = run(path.join(bin, 'openapi-python-client'),
    ['generate', '--path', 'api.json', '--meta', 'none', '--output-path', 'ken_client', '--overwrite'], { env });
  assert.doesNotMatch(said, /warning/i); // nothing that it had to leave out
  assert.equal(run(python, ['-W', 'error', path.join(here, 'openapi', 'smoke.py'), served.url, project], { env }), 'ok\n');
});

// ---- what a document is good for ------------------------------------------------------------------

function* operations() {
  for (const [route, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item))
      if (method !== 'parameters')
        yield { route, method, operation };
}

test('names are unique, every operation says what it answers, and no argument is left open', () => {
  const ids = new Set();
  for (const { route, method, operation } of operations()) {
    assert.ok(!ids.has(operation.operationId), `${operation.operationId} twice`);
    ids.add(operation.operationId);
    assert.ok(operation.summary && operation.tags.length === 1, route);
    const ok = operation.responses[200] ?? operation.responses[202];
    const schema = Object.values(ok.content)[0].schema;
    assert.ok(schema.$ref || schema.type, `${method} ${route} has an answer of any shape`);
    for (const parameter of operation.parameters ?? [])
      assert.ok(parameter.schema.type || parameter.schema.$ref, `${route}: ${parameter.name} has no type`);
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (!name.endsWith('Arguments'))
      continue;
    for (const [member, of] of Object.entries(schema.properties)) {
      assert.ok(of.type && of.description, `${name}.${member} has no type, or is not described`);
      // With a default generators of types demand it.
      assert.ok(!('default' in of), `${name}.${member} has a default`);
    }
  }
});

// Each with the arguments that make it say something, most of them more than one form.
const calls = [
  ['index_repository', { repo_path: project }], ['index_repository', { repo_path: project, force_reindex: true }],
  ['list_projects', {}], ['get_repo_status', {}], ['get_repo_status', { skipped: 'all' }], ['stats', {}], ['stats', { all: true }],
  ['search_code', { query: 'retry after an error' }], ['search_code', { query: 'retry', explain: true, history: true }],
  ['search_code', { query: 'parse_number', search_type: 'symbol' }], ['search_code', { query: 'who calls parse_number' }],
  ['search_code', { query: 'return', search_type: 'text' }], ['search_code', { query: 'x[0-9]', search_type: 'regex' }],
  ['search_code', { query: 'retry', project: '*' }], ['search_code', { query: 'zebra quagga' }],
  ['search', { query: 'retry' }], ['get_definition', { symbol_name: 'RetryPolicy' }],
  ['find_usages', { symbol_name: 'parse_number', context_lines: 1 }], ['find_usages', { symbol_name: 'RetryPolicy.run' }],
  ['explain_code', { file_path: 'src/main.c', line_start: 3, line_end: 3 }], ['explain_code', { file_path: 'src/retry.py', line_start: 5, line_end: 18 }],
  ['trace_execution', { entry_point: 'main' }], ['trace_execution', { entry_point: 'parse_number', direction: 'callers' }],
  ['trace_execution', { entry_point: 'main', to: 'parse_number' }], ['get_architecture', {}],
  ['query_impact', { symbol: 'parse_number' }], ['query_impact', { file_path: 'src/parse.c' }], ['query_impact', { diff: 'uncommitted' }],
  ['outline', { file_path: 'src/retry.py' }], ['outline', { file_path: 'README.md', links: true }],
  ['list_chunks', { file_path: 'src/retry.py' }], ['list_files', {}], ['list_files', { filter: 'RETRY', limit: 1 }],
  ['read_file', { file_path: 'src/retry.py' }], ['read_file', { file_path: 'src/main.c', line_start: 2, line_end: 3 }],
  ['symbol_graph', {}], ['symbol_graph', { symbol_name: 'parse_number', external: true }],
  ['symbol_graph', { level: 'file', max_nodes: 2 }], ['symbol_graph', { file_path: 'src/main.c' }],
  ['nodeSource', { id: 'src/parse.c#parse_number' }],
  ['build_context', { query: 'parse_number' }], ['dead_code', {}], ['hotspots', {}], ['list_routes', {}], ['list_secrets', {}],
  ['tests_for', { symbol: 'parse_number' }], ['create_task', { title: 'one', project }], ['list_tasks', {}],
  ['checkpoint_save', { summary: 'half done', context: { next: 'more' } }], ['checkpoint_list', {}],
  ['checkpoint_search', { query: 'half' }], ['rag_setup', { project_root: project }], ['rag_index', {}], ['rag_status', {}],
  ['rag_health_check', {}], ['rag_check_constraints', { change_description: 'retry more often', diff: 'uncommitted' }],
  ['rag_query_impact', { file_path: 'src/retry.py' }], ['check_rules', {}],
];

test('answers have the shapes that the document says', async () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'ken');
  const asked = new Set(), wrong = [];
  const ask = async (name, args) => {
    const response = await fetch(`${served.url}/api/v1/${name}`,
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(args) });
    const answer = await response.json();
    const call = `${name} ${JSON.stringify(args)}`;
    asked.add(name);
    if (response.status !== 200)
      wrong.push(`${call}: ${JSON.stringify(answer)}`);
    if (response.status !== 200)
      return answer;
    const { $ref } = document.paths[`/api/v1/${name}`].post.responses[200].content['application/json'].schema;
    const fits = ajv.getSchema(`ken${$ref}`);
    if (!fits(answer))
      wrong.push(`${call}: ${ajv.errorsText(fits.errors)}`);
    // A member that the document does not know is one that nobody finds.
    const known = (schema) => schema.$ref ? known(ajv.getSchema(`ken${schema.$ref}`).schema) : schema;
    for (const member of Object.keys(answer))
      if (!(member in known({ $ref }).properties))
        wrong.push(`${call}: '${member}' is not in the document`);
    return answer;
  };
  const made = {};
  for (const [name, args] of calls)
    made[name] = await ask(name, args);
  const task_id = made.create_task.id;
  await ask('get_task', { task_id });
  await ask('update_task', { task_id, status: 'in-progress', notes: 'begun' });
  await ask('delete_task', { task_id });
  const checkpoint_id = made.checkpoint_save.id;
  await ask('checkpoint_get', { checkpoint_id, resume: true });
  await ask('checkpoint_delete', { checkpoint_id });
  await ask('add_repository', { url: `file://${project}`, name: 'clone', interval_seconds: 0 });
  await ask('sync_repository', { project: 'clone' });
  await ask('sync_repository', { project });
  await ask('get_repo_status', { project: 'clone' });
  await ask('list_repositories', {});
  await ask('remove_repository', { project: 'clone', confirm: true });
  await ask('select_project', { project });
  await ask('list_projects', { counts: true });
  const fresh = path.join(scratch, 'openapi-fresh');
  fs.mkdirSync(fresh);
  fs.writeFileSync(path.join(fresh, 'a.py'), 'a = 1\n');
  await ask('list_folders', { path: scratch });
  await ask('preview_scope', { path: fresh, exclude_patterns: ['gen/**'] });
  await ask('add_project', { path: fresh, name: 'fresh', exclude_patterns: ['gen/**'] });
  await ask('update_project', { project: 'fresh', name: 'fresher', include_patterns: ['*.py'] });
  await ask('preview_scope', { project: 'fresher' });
  await ask('list_settings', { project });
  await ask('change_setting', { key: 'indexing.jobs', value: '1' });
  await ask('change_setting', { key: 'indexing.jobs', value: null });
  await ask('list_models', { project });
  await ask('use_model', { model: 'builtin', project });
  await ask('add_model', { id: 'mine', source: 'https://models.example.org/m.onnx', tokenizer_source: '/srv/vocab.txt', license: 'MIT', dims: 384 });
  await ask('remove_model', { model: 'mine', confirm: true });
  await ask('archive_project', { project });
  await ask('archive_project', { project, undo: true });
  await ask('remove_project', { project, confirm: true });
  // What is no operation has a shape, too.
  for (const route of ['server', 'clients', 'tools', 'jobs', 'history']) {
    const answer = await (await fetch(`${served.url}/api/v1/${route}`)).json();
    const { $ref } = document.paths[`/api/v1/${route}`].get.responses[200].content['application/json'].schema;
    const fits = ajv.getSchema(`ken${$ref}`);
    if (!fits(answer))
      wrong.push(`${route}: ${ajv.errorsText(fits.errors)}`);
    for (const member of Object.keys(answer))
      if (!(member in fits.schema.properties))
        wrong.push(`${route}: '${member}' is not in the document`);
  }
  assert.deepEqual(wrong, []);
  for (const { route, method, operation } of operations())
    if (method === 'post' && operation.responses[200]?.content['application/json'].schema.$ref?.endsWith('Answer'))
      assert.ok(asked.has(path.basename(route)), `no call of ${route}: add one`);
});
