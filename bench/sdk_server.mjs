// SPDX-License-Identifier: MIT
// The server of the MCP TypeScript SDK with one small tool, to compare ken serve with (serve.py). It is set up
// for speed: one session, answers as JSON, no framework around it. Run from tests/clients, whose packages it uses;
// prints its port.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(`${process.cwd()}/package.json`);
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');

const server = new McpServer({ name: 'small', version: '1.0.0' });
server.registerTool('list_projects', { description: 'Projects.' }, async () => ({
    content: [{ type: 'text', text: process.env.ANSWER ?? 'one project' }],
}));
const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
});
await server.connect(transport);
const http = createServer((request, response) => transport.handleRequest(request, response));
http.listen(0, '127.0.0.1', () => console.log(http.address().port));
