// SPDX-License-Identifier: MIT
// Checkpoints through a real client: one session saves, the next one goes on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { binary, env, makeProject } from './lab.mjs';

const project = makeProject('checkpoints-project');

async function session(body) {
  const client = new Client({ name: 'checkpoints', version: '1' });
  await client.connect(new StdioClientTransport({
    command: binary, args: ['mcp', '--format', 'json'], cwd: project, env: env('checkpoints'),
  }));
  try {
    return await body(async (name, args) => client.callTool({ name, arguments: args }));
  } finally {
    await client.close();
  }
}

test('what one session saved another finds, resumes and deletes', async () => {
  const saved = await session(async (call) => {
    fs.writeFileSync(path.join(project, 'half.py'), 'half = 1\n');
    const result = await call('checkpoint_save', {
      summary: 'retries: backoff done 🚀', description: 'the ceiling is next',
      tags: ['retries', '🚀'], context: { next: ['ceiling', 'tests'] }, project_path: project,
    });
    assert.ok(!result.isError, result.content[0].text);
    return result.structuredContent;
  });
  assert.equal(saved.git.branch, 'main');
  await session(async (call) => {
    const found = (await call('checkpoint_search', {
      query: 'how far are the retries', tags: ['🚀'],
    })).structuredContent;
    assert.deepEqual(found.checkpoints.map((c) => c.id), [saved.id]);
    const got = (await call('checkpoint_get', { checkpoint_id: saved.id, resume: true }))
      .structuredContent;
    assert.equal(got.description, 'the ceiling is next');
    assert.deepEqual(got.context, { next: ['ceiling', 'tests'] });
    assert.deepEqual(got.resume.still_dirty, ['half.py']);
    const files = (await call('checkpoint_list', { tags: ['indexed', '.py'], limit: 50 }))
      .structuredContent;
    assert.ok(files.checkpoints.some((c) => c.summary === 'Indexed file: src/retry.py'));
    const gone = await call('checkpoint_delete', { checkpoint_id: saved.id });
    assert.equal(gone.structuredContent.status, 'deleted');
    const absent = await call('checkpoint_get', { checkpoint_id: saved.id });
    assert.equal(absent.isError, true);
    assert.match(absent.content[0].text, /^Error: checkpoint_id: there is no checkpoint/);
  });
});

test('a second writer is told that the first was faster', async () => {
  await session(async (one) => {
    await session(async (two) => {
      const saved = (await one('checkpoint_save', { summary: 'ours' })).structuredContent;
      const change = { checkpoint_id: saved.id, if_updated_at: saved.updated_at };
      assert.ok(!(await two('checkpoint_save', { ...change, summary: 'theirs' })).isError);
      const late = await one('checkpoint_save', { ...change, summary: 'mine' });
      assert.equal(late.isError, true);
      assert.match(late.content[0].text, /was changed since/);
      const list = (await one('checkpoint_list', {})).structuredContent;
      assert.deepEqual(list.checkpoints.map((c) => c.summary), ['theirs']);
    });
  });
});
