import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { listenLocally } from '../../apps/broker/src/testing/servers/listen-locally.ts';

export type CountingServer = {
  url: string;
  address: string;
  /** Number of runs of each call, by the call's number. */
  readonly runs: ReadonlyMap<number, number>;
  close(): Promise<void>;
};

const inputSchema = {
  type: 'object' as const,
  properties: { n: { type: 'integer' }, forMs: { type: 'integer' } },
  required: ['n', 'forMs'],
};

/** Starts a server whose calls carry their number and their duration. */
export async function startCountingServer(): Promise<CountingServer> {
  const runs = new Map<number, number>();
  const build = () => {
    const server = new Server({ name: 'counting', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => ({
      tools: ['free', 'paid'].map((name) => ({ name, inputSchema })),
    }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const n = Number(params.arguments?.['n']);
      runs.set(n, (runs.get(n) ?? 0) + 1);
      await pause(Number(params.arguments?.['forMs']));
      return { content: [{ type: 'text', text: `call ${n}` }] };
    });
    return server;
  };
  const mcp = createMcpHandler(build, { legacy: 'reject' });
  const handler = toNodeHandler(mcp);
  const http = createServer((request, response) => {
    void handler(Object.assign(request, { method: request.method ?? '', url: request.url ?? '/' }), response);
  });
  const { port, close } = await listenLocally(http);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    address: `127.0.0.1:${port}`,
    runs,
    async close() {
      await mcp.close();
      await close();
    },
  };
}
