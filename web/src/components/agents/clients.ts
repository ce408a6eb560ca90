// SPDX-License-Identifier: MIT
// How each client is told of this server: a command, or a piece of its settings.

export interface Way {
  title: string;
  /** Where it goes. */
  where: string;
  text: string;
  language: string;
}
export interface Client {
  id: string;
  title: string;
  ways: Way[];
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
/** In single quotes of a shell. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export function clientsFor(url: string, needsToken: boolean): Client[] {
  const headers = needsToken ? { headers: { Authorization: 'Bearer ${KEN_TOKEN}' } } : {};
  const here = (title: string, id: string): Way => ({ title: 'Without HTTP', where: `shell, on the machine of the server: registers ken with ${title}`, text: `ken setup ${id}`, language: 'bash' });
  return [
    {
      id: 'claude-code', title: 'Claude Code',
      ways: [
        { title: 'Command', where: 'shell', text: `claude mcp add --transport http ken ${quoted(url)}${needsToken ? ' --header "Authorization: Bearer $KEN_TOKEN"' : ''}`, language: 'bash' },
        { title: 'For a repository', where: '.mcp.json', text: json({ mcpServers: { ken: { type: 'http', url, ...headers } } }), language: 'json' },
        here('Claude Code', 'claude-code'),
      ],
    },
    {
      id: 'cursor', title: 'Cursor',
      ways: [
        { title: 'Settings', where: '~/.cursor/mcp.json, or .cursor/mcp.json of a repository', text: json({ mcpServers: { ken: { url, ...(needsToken ? { headers: { Authorization: 'Bearer ${env:KEN_TOKEN}' } } : {}) } } }), language: 'json' },
        here('Cursor', 'cursor'),
      ],
    },
    {
      id: 'vscode', title: 'VS Code',
      ways: [
        { title: 'Command', where: 'shell', text: `code --add-mcp ${quoted(JSON.stringify({ name: 'ken', type: 'http', url }))}`, language: 'bash' },
        {
          title: 'For a repository', where: '.vscode/mcp.json', language: 'json',
          text: json(needsToken
            ? { inputs: [{ type: 'promptString', id: 'ken-token', description: 'Access token of ken', password: true }], servers: { ken: { type: 'http', url, headers: { Authorization: 'Bearer ${input:ken-token}' } } } }
            : { servers: { ken: { type: 'http', url } } }),
        },
        here('VS Code', 'vscode'),
      ],
    },
    {
      id: 'codex', title: 'Codex',
      ways: [
        { title: 'Settings', where: '~/.codex/config.toml', text: `[mcp_servers.ken]\nurl = ${JSON.stringify(url)}${needsToken ? '\nbearer_token_env_var = "KEN_TOKEN"' : ''}\n`, language: 'ini' },
        here('Codex', 'codex'),
      ],
    },
    {
      id: 'other', title: 'Another client',
      ways: [
        { title: 'Streamable HTTP', where: 'address', text: url, language: 'text' },
        { title: 'Settings of most clients', where: 'its file of MCP servers', text: json({ mcpServers: { ken: { type: 'http', url, ...headers } } }), language: 'json' },
        { title: 'Over stdin and stdout', where: 'on the machine of the server', text: json({ mcpServers: { ken: { command: 'ken', args: ['mcp'] } } }), language: 'json' },
        {
          title: 'Try it', where: 'shell', language: 'bash',
          text: `curl -s ${quoted(url)} -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream'${needsToken ? ' -H "Authorization: Bearer $KEN_TOKEN"' : ''} \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'`,
        },
      ],
    },
  ];
}
