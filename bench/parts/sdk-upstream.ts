// The same echo tool on the official SDK, which shows the gateway's cost in front of ordinary servers.
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { servePart } from '../serve-part.ts';
import { serveHttp } from './listen.ts';

const inputSchema = fromJsonSchema<{ text: string }>({
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
});

const handle = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'sdk', version: '1.0.0' });
    const description = 'Answers the text that it was given.';
    server.registerTool('echo', { description, inputSchema }, ({ text }) => ({ content: [{ type: 'text', text }] }));
    return server;
  }),
);

await servePart(() =>
  serveHttp((request, response) => {
    void handle(Object.assign(request, { method: request.method ?? '', url: request.url ?? '/' }), response);
  }),
);
