// SPDX-License-Identifier: MIT
// The official TypeScript SDKs over HTTP: version 1 with sessions and streams that are taken up again,
// version 2 stateless. What a client asks, cancels, subscribes to, and how it comes back.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { ken, makeLargeProject, makeProject, patience, rewriteLargeProject, Served, sleep } from './lab.mjs';

const project = makeProject('http-project');
const large = makeLargeProject('http-large', 1500);
const indexLarge = { name: 'index_repository', arguments: { path: large } };
let served;

before(async () => {
  ken('http', project, 'index');
  ken('http', large, 'index');
  served = await Served.start('http');
});

after(() => served?.stop());

// fetch whose streams can be cut as a bad network does.
function breakable() {
  const open = new Set();
  return {
    fetch: async (url, init) => {
      const cut = new AbortController();
      const signals = [cut.signal, ...(init?.signal ? [init.signal] : [])];
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      if (response.headers.get('content-type')?.includes('text/event-stream'))
        open.add({ cut, method: init?.method ?? 'GET' });
      return response;
    },
    cut: (method) => {
      for (const stream of open) {
        if (stream.method !== method)
          continue;
        open.delete(stream);
        stream.cut.abort(new Error('the network is gone'));
      }
    },
  };
}

async function connect(url, options = {}, network = breakable()) {
  const client = new Client({ name: 'http', version: '1' }, options);
  client.onerror = () => {};
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: network.fetch,
    reconnectionOptions: { initialReconnectionDelay: 100, maxReconnectionDelay: 1000, reconnectionDelayGrowFactor: 1.5, maxRetries: 20 },
  });
  return { client, transport, network };
}

async function connectModern(url) {
  const client = new ModernClient({ name: 'http', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const network = breakable();
  client.onerror = () => {};
  await client.connect(new ModernTransport(new URL(url), { fetch: network.fetch }));
  return { client, network };
}

// A promise and who keeps it.
function expectation(what, ms = 20000) {
  const e = {};
  e.met = new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`${what}: not within ${ms * patience} ms`)), ms * patience);
    e.meet = (value) => { clearTimeout(timer); done(value); };
  });
  e.met.catch(() => {});
  return e;
}

async function listsAndCalls(client, args = {}) {
  assert.equal(client.getServerVersion().name, 'ken');
  const { tools } = await client.listTools();
  assert.equal(tools.length, 31);
  const found = await client.callTool({
    name: 'search_code', arguments: { query: 'where are retries handled', format: 'json', ...args },
  });
  assert.equal(found.structuredContent.results[0].file_path, 'src/retry.py');
  const failed = await client.callTool({ name: 'outline', arguments: { file_path: 'none.c', ...args } });
  assert.equal(failed.isError, true);
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }));
  const { resources } = await client.listResources();
  assert.ok(resources.some((r) => r.uri === 'ken://projects'));
}

async function generationOfLarge(client) {
  const { contents } = await client.readResource({ uri: 'ken://http-large/status' });
  return JSON.parse(contents[0].text).generation;
}

// What a client asked and does not want any more is not worked at any longer: the run does not reach its end.
async function abortEndsTheWork(client) {
  const generation = await generationOfLarge(client);
  rewriteLargeProject(large);
  const abort = new AbortController();
  const begun = expectation('progress');
  const call = client.callTool(indexLarge, ...callOptions(client, { signal: abort.signal, onprogress: begun.meet }));
  await begun.met;
  abort.abort();
  await assert.rejects(call);
  await served.becomesIdle();
  assert.equal(await generationOfLarge(client), generation);
}

// Version 1 has the schema of the result before the options.
function callOptions(client, options) {
  return client instanceof ModernClient ? [options] : [undefined, options];
}

const statusUri = 'ken://http-project/status';
let n = 0;
const changeProject = () => fs.writeFileSync(path.join(project, 'src', 'later.py'), `later = ${++n}\n`);

describe('sdk 1 over HTTP', () => {
  let client, transport, network;
  before(async () => {
    ({ client, transport, network } = await connect(`${served.mcp}/http-project`));
    await client.connect(transport);
  });
  after(() => client?.close());

  test('it has a session, lists, calls and pings', async () => {
    assert.match(transport.sessionId, /^[\x21-\x7e]+$/);
    assert.equal(transport.protocolVersion, '2025-11-25');
    await listsAndCalls(client);
    await client.ping();
  });

  test('the client is asked for its folder when nothing else says the project', async () => {
    const other = await connect(served.mcp, { capabilities: { roots: {} } });
    other.client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(project).href }] }));
    await other.client.connect(other.transport);
    await listsAndCalls(other.client);
    await other.client.close();
  });

  test('an aborted call is not worked at any longer', async () => {
    const { client: free, transport: wire } = await connect(served.mcp);
    await free.connect(wire);
    await abortEndsTheWork(free);
    await free.close();
  });

  test('it is told when the index moves', async () => {
    const told = expectation('an update');
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (m) => told.meet(m.params.uri));
    await client.subscribeResource({ uri: statusUri });
    await sleep(2500);
    changeProject();
    assert.equal(await told.met, statusUri);
  });

  test('when the stream of messages breaks, nothing that comes meanwhile is lost', async () => {
    const told = expectation('an update after the break');
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (m) => told.meet(m.params.uri));
    network.cut('GET');
    changeProject();
    assert.equal(await told.met, statusUri);
    await client.unsubscribeResource({ uri: statusUri });
  });

  test('when the stream of a call breaks, its answer comes on the next', async () => {
    const { client: free, transport: wire, network: net } = await connect(served.mcp);
    await free.connect(wire);
    rewriteLargeProject(large);
    const begun = expectation('progress');
    const call = free.callTool(indexLarge, undefined, { onprogress: begun.meet, timeout: 120000 * patience });
    await begun.met;
    net.cut('POST');
    const result = await call;
    assert.ok(!result.isError, result.content[0].text);
    await free.close();
  });

  test('a session that was ended is gone, and the next one works', async () => {
    const other = await connect(`${served.mcp}/http-project`);
    await other.client.connect(other.transport);
    const old = other.transport.sessionId;
    await other.transport.terminateSession();
    await other.client.close();
    const answer = await fetch(`${served.mcp}/http-project`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Accept': 'application/json, text/event-stream', 'Mcp-Session-Id': old },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    assert.equal(answer.status, 404);
    const next = await connect(`${served.mcp}/http-project`);
    await next.client.connect(next.transport);
    await next.client.ping();
    await next.client.close();
  });
});

describe('sdk 2 over HTTP, stateless', () => {
  let client, network;
  before(async () => { ({ client, network } = await connectModern(`${served.mcp}/http-project`)); });
  after(() => client?.close());

  test('it lists and calls', () => listsAndCalls(client));

  test('automatic negotiation finds the stateless revision', async () => {
    const auto = new ModernClient({ name: 'http', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await auto.connect(new ModernTransport(new URL(`${served.mcp}/http-project`)));
    assert.equal(auto.getNegotiatedProtocolVersion(), '2026-07-28');
    await listsAndCalls(auto);
    await auto.close();
  });

  test('an aborted call is not worked at any longer', async () => {
    const { client: free } = await connectModern(served.mcp);
    await abortEndsTheWork(free);
    await free.close();
  });

  test('it listens, is told, and listens again after a break', async () => {
    for (const again of [false, true]) {
      const told = expectation(`an update, ${again ? 'second' : 'first'} subscription`);
      client.setNotificationHandler('notifications/resources/updated', (m) => told.meet(m.params.uri));
      const subscription = await client.listen({ resourceSubscriptions: [statusUri] });
      assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: [statusUri] });
      await sleep(2500);
      changeProject();
      assert.equal(await told.met, statusUri);
      if (again)
        await subscription.close();
      else
        network.cut('POST');
    }
    await listsAndCalls(client);
  });
});
