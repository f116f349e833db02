import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Clock } from './clock.ts';
import { createMcpEndpoint, type McpEndpoint } from './mcp-http.ts';
import { identifyCaller, refuseForeign, sendRefusal, type ServiceCaller } from './request-gate.ts';

/**
 * Serves MCP over streamable HTTP at the given paths, for callers that present the secret (if there is one).
 * All other paths are 404.
 */
export function serveMcpPaths(
  server: Server,
  options: {
    paths: Readonly<Record<string, (caller: ServiceCaller) => McpServer>>;
    secret: string | undefined;
    clock: Clock;
  },
): { close(): Promise<void> } {
  const endpoints = new Map<string, McpEndpoint>(
    Object.entries(options.paths).map(([path, create]) => [path, createMcpEndpoint(create, options.clock)]),
  );
  server.on('request', (request, response) => void answer(request, response));
  return {
    async close() {
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const foreign = refuseForeign(request.headers);
    if (foreign) return sendRefusal(response, foreign);
    const caller = identifyCaller(request.headers, options.secret);
    if ('status' in caller) return sendRefusal(response, caller);
    const endpoint = endpoints.get(URL.parse(request.url ?? '', 'http://localhost')?.pathname ?? '');
    if (!endpoint) return sendRefusal(response, { status: 404, message: 'Not found' });
    await endpoint.handle(request, response, caller);
  }
}
