// SPDX-License-Identifier: MIT
// The official TypeScript SDK, version 2: legacy, automatic and pinned to the stateless revision.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { binary, env, makeProject } from './lab.mjs';

const project = makeProject('sdk2-project');

const eras = {
  legacy: {},
  auto: { versionNegotiation: { mode: 'auto' } },
  pinned: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
};

for (const [era, options] of Object.entries(eras)) {
  test(`sdk 2, ${era}: connects, lists, calls, reads, closes`, async () => {
    const problems = [];
    const client = new Client({ name: 'sdk2', version: '1' }, options);
    client.onerror = (e) => problems.push(e);
    await client.connect(new StdioClientTransport({
      command: binary, args: ['mcp', '--format', 'json'], cwd: project, env: env(`sdk2-${era}`),
    }));
    assert.equal(client.getServerVersion().name, 'ken');
    assert.ok(client.getInstructions().includes('search_code'));
    const { tools } = await client.listTools();
    assert.equal(tools.length, 31);
    const found = await client.callTool({
      name: 'search_code', arguments: { query: 'where are retries handled' },
    });
    assert.equal(found.structuredContent.results[0].file_path, 'src/retry.py');
    const failed = await client.callTool({ name: 'outline', arguments: { file_path: 'none.c' } });
    assert.equal(failed.isError, true);
    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }));
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources[0].uri });
    assert.match(contents[0].text, /sdk2-project/);
    const { prompts } = await client.listPrompts();
    const asked = await client.getPrompt({
      name: prompts.find((p) => p.name === 'find').name, arguments: { question: 'where are retries handled' },
    });
    assert.match(asked.messages[0].content.text, /src\/retry\.py/);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'find' }, argument: { name: 'project', value: 'sdk2' },
    });
    assert.deepEqual(completion.values, ['sdk2-project']);
    await client.close();
    assert.deepEqual(problems, []);
  });
}
