// SPDX-License-Identifier: MIT
// What two agents of different protocol eras remember together: tasks and checkpoints, one store, two servers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { binary, env, makeProject } from './lab.mjs';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const project = makeProject('memory-project');
const server = { command: binary, args: ['mcp', '--format', 'json'], cwd: project, env: env('memory') };
let old, modern;

before(async () => {
  old = new Client({ name: 'old', version: '1' });
  await old.connect(new StdioClientTransport(server));
  modern = new ModernClient({ name: 'modern', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await modern.connect(new ModernTransport(server));
});

after(() => Promise.all([old.close(), modern.close()]));

async function answer(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${result.content[0]?.text}`);
  return result.structuredContent;
}

async function refusal(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError, true, `${name} ${JSON.stringify(args)} should be refused`);
  assert.match(result.content[0].text, /^Error: /);
  return result.content[0].text;
}

const head = () => execFileSync('git', ['-C', project, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();

test('tasks: one agent writes it down, the other takes it up', async () => {
  const made = await answer(old, 'create_task', {
    title: 'Retry uploads that time out 🚂', planning_references: ['docs/uploads.md'], project,
  });
  assert.equal(made.status, 'need to be done');
  assert.match(made.created_at, isoTime);
  assert.deepEqual(made.planning_references, ['docs/uploads.md']);
  const listed = await answer(modern, 'list_tasks', { query: 'uploads get lost on slow connections' });
  assert.equal(listed.tasks[0].id, made.id);
  const taken = await answer(modern, 'update_task', {
    task_id: made.id, status: 'in-progress', branch: 'feature/retry', if_updated_at: made.updated_at,
  });
  assert.ok(taken.updated_at > made.updated_at);
  const late = await refusal(old, 'update_task',
    { task_id: made.id, notes: 'mine', if_updated_at: made.updated_at });
  assert.ok(late.includes(taken.updated_at), late);
  await answer(modern, 'update_task', { task_id: made.id, branch: 'feature/retry' });
  const done = await answer(old, 'update_task', { task_id: made.id, status: 'complete', commit: head() });
  assert.deepEqual([done.branches, done.commits], [['feature/retry'], [head()]]);
  const { history } = await answer(modern, 'get_task', { task_id: made.id });
  assert.deepEqual(history.filter((h) => h.event === 'status').map((h) => [h.from ?? null, h.to]),
    [[null, 'need to be done'], ['need to be done', 'in-progress'], ['in-progress', 'complete']]);
  assert.equal(history.find((h) => h.event === 'commit').message, 'sample');
  assert.equal((await answer(old, 'list_tasks', { branch: 'feature/retry' })).tasks.length, 1);
  await answer(old, 'delete_task', { task_id: made.id });
  assert.match(await refusal(modern, 'get_task', { task_id: made.id }), new RegExp(made.id));
});

test('tasks: what is refused names the field, the rule and the value', async () => {
  assert.match(await refusal(old, 'create_task', { title: '  ' }), /title/);
  assert.match(await refusal(old, 'create_task', { title: 'é'.repeat(201) }), /title.*201.*200/);
  assert.equal((await answer(old, 'create_task', { title: '🚂'.repeat(200) })).status, 'need to be done');
  assert.match(await refusal(old, 'create_task', { title: 'x', status: 'later' }), /status.*in-progress.*later/);
  assert.match(await refusal(old, 'get_task', { task_id: 'seven' }), /task_id.*seven/);
  assert.match(await refusal(old, 'list_tasks', { limit: 101 }), /limit.*101 is over 100/);
  const { id } = await answer(old, 'create_task', { title: 'x' });
  assert.match(await refusal(old, 'update_task', { task_id: id, commit: 'abc123' }), /commit.*abc123/);
});

test('checkpoints: saved with the state of git, found and resumed by another', async () => {
  fs.appendFileSync(path.join(project, 'README.md'), '\nMore to come.\n');
  const saved = await answer(old, 'checkpoint_save', {
    summary: 'Back-off is done, its ceiling is not tested', description: 'See src/retry.py. Next: a test with a clock.',
    tags: ['retries', 'wip'], context: { next: ['test'] }, project_path: project,
  });
  assert.equal(saved.git.commit, head());
  assert.equal(saved.git.branch, 'main');
  assert.ok(saved.token_count > 0);
  const found = await answer(modern, 'checkpoint_search',
    { query: 'what is left to do about waiting between attempts', tags: ['retries', '!done'], project_path: project });
  assert.equal(found.checkpoints[0].id, saved.id);
  const changed = await answer(modern, 'checkpoint_save', {
    checkpoint_id: saved.id, summary: 'Back-off is done and tested', if_updated_at: saved.updated_at, project_path: project,
  });
  assert.equal(changed.status, 'updated');
  assert.ok((await refusal(old, 'checkpoint_save', {
    checkpoint_id: saved.id, summary: 'mine', if_updated_at: saved.updated_at, project_path: project,
  })).includes(changed.updated_at));
  execFileSync('git', ['-C', project, '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qam', 'More']);
  const again = await answer(old, 'checkpoint_get',
    { checkpoint_id: saved.id, resume: true, project_path: project });
  assert.deepEqual(again.context, { next: ['test'] });
  assert.deepEqual(again.resume.commits_since.map((c) => c.subject), ['More']);
  assert.ok(JSON.stringify(again.resume.files_changed).includes('README.md'));
  await answer(modern, 'checkpoint_delete', { checkpoint_id: saved.id, project_path: project });
  assert.match(await refusal(old, 'checkpoint_get', { checkpoint_id: saved.id, project_path: project }),
    new RegExp(saved.id));
});

test('checkpoints: indexed files are among them and never twice', async () => {
  const files = () => answer(modern, 'checkpoint_list', { tags: ['indexed', '.py'], project_path: project });
  await answer(old, 'index_repository', { path: project });
  const first = await files();
  assert.deepEqual(first.checkpoints.map((c) => c.summary), ['Indexed file: src/retry.py']);
  assert.deepEqual(first.checkpoints[0].tags.toSorted(), ['.py', 'indexed', 'repository']);
  await answer(old, 'index_repository', { path: project, force_reindex: true });
  const second = await files();
  assert.deepEqual(second.checkpoints.map((c) => c.id), first.checkpoints.map((c) => c.id));
});
