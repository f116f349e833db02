// Servers of the crowded shop, in a separate process: those below /live/ work, those below /silent/ accept a request
// and never respond. Sends their address to the parent.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { listenLocally } from '../../apps/broker/src/testing/servers/listen-locally.ts';

const mcp = createMcpHandler(() => {
  const server = new Server({ name: 'live', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({
    tools: [{ name: 'look', inputSchema: { type: 'object' as const } }],
  }));
  return server;
});
const handler = toNodeHandler(mcp);
const { port } = await listenLocally(
  createServer((request, response) => {
    if (request.url?.startsWith('/silent/')) return;
    void handler(Object.assign(request, { method: request.method ?? '', url: request.url ?? '/' }), response);
  }),
);
process.send?.({ address: `127.0.0.1:${port}` });
process.once('disconnect', () => process.exit(0));
