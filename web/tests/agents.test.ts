// SPDX-License-Identifier: MIT
// What one copies to connect a client must be what that client reads.
import { describe, expect, it } from 'vitest';

import { clientsFor } from '../src/components/agents/clients';

const URL_OF_ALL = 'http://127.0.0.1:7420/mcp';
const ways = (id: string, url: string, needsToken: boolean) => clientsFor(url, needsToken).find((c) => c.id === id)!.ways;

describe('how a client is connected', () => {
  it('gives JSON that can be read wherever a file of JSON is meant', () => {
    for (const needsToken of [false, true])
      for (const client of clientsFor(URL_OF_ALL, needsToken))
        for (const way of client.ways.filter((w) => w.language === 'json')) expect(() => JSON.parse(way.text) as unknown, `${client.id} ${way.title}`).not.toThrow();
  });

  it('names the address in every way that goes over HTTP', () => {
    for (const client of clientsFor(URL_OF_ALL, false)) expect(client.ways.some((w) => w.text.includes(URL_OF_ALL)), client.id).toBe(true);
  });

  it('writes no token into a file or a command, only the variable that holds it', () => {
    for (const client of clientsFor(URL_OF_ALL, true)) for (const way of client.ways) expect(way.text).not.toMatch(/ken_[0-9a-z]{8}/i);
    expect(ways('claude-code', URL_OF_ALL, true)[0]!.text).toContain('--header "Authorization: Bearer $KEN_TOKEN"');
    expect(ways('codex', URL_OF_ALL, true)[0]!.text).toContain('bearer_token_env_var = "KEN_TOKEN"');
  });

  it('asks for none where none is needed', () => {
    for (const client of clientsFor(URL_OF_ALL, false)) for (const way of client.ways) expect(way.text).not.toMatch(/KEN_TOKEN|Bearer/);
  });

  it('quotes what a shell would read as more than one word, or run', () => {
    const odd = "http://host/mcp/it's $(id) `id`";
    expect(ways('claude-code', odd, false)[0]!.text).toBe("claude mcp add --transport http ken 'http://host/mcp/it'\\''s $(id) `id`'");
  });

  it('gives each client the key that it knows', () => {
    const parsed = (id: string) => JSON.parse(ways(id, URL_OF_ALL, false).find((w) => w.language === 'json')!.text) as Record<string, Record<string, { url: string }>>;
    expect(parsed('claude-code').mcpServers?.ken).toEqual({ type: 'http', url: URL_OF_ALL });
    expect(parsed('cursor').mcpServers?.ken).toEqual({ url: URL_OF_ALL });
    expect(parsed('vscode').servers?.ken).toEqual({ type: 'http', url: URL_OF_ALL });
  });
});
