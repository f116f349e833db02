import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, type McpServer } from '@modelcontextprotocol/server';
import type { Clock } from './clock.ts';
import { createLegacySessions } from './legacy-sessions.ts';
import type { ServiceCaller } from './request-gate.ts';

/** Size limit of requests; larger ones get 413 without being read. */
export const maxRequestBytes = 1024 * 1024;

export type McpEndpoint = {
  /** Serves an HTTP request that passed the gate. */
  handle(request: IncomingMessage, response: ServerResponse, caller: ServiceCaller): Promise<void>;
  close(): Promise<void>;
};

/**
 * Serves streamable HTTP for both protocol eras: requests of revision 2026-07-28 are independent, `initialize` opens a
 * session. Every request or session gets its own server object, so that responses cannot be mixed up.
 */
export function createMcpEndpoint(createServer: (caller: ServiceCaller) => McpServer, clock: Clock): McpEndpoint {
  const sessions = createLegacySessions(createServer, clock);
  // The SDK passes `authInfo` to the factory unchanged, which makes it the only way from a request to its server object.
  const modern = createMcpHandler(({ authInfo }) => createServer(callerOf(authInfo?.extra)), {
    legacy: 'reject',
    maxRequestBodySize: maxRequestBytes,
  });
  const bodyLimit = { maxRequestBodySize: maxRequestBytes };

  return {
    async handle(request, response, caller) {
      const serve = toNodeHandler(
        {
          fetch: async (webRequest) =>
            (await isLegacyRequest(webRequest, undefined, bodyLimit))
              ? sessions.handle(webRequest, caller)
              : modern.fetch(webRequest, { authInfo: { token: '', clientId: '', scopes: [], extra: { ...caller } } }),
        },
        bodyLimit,
      );
      if (!isReceived(request)) throw new TypeError('not a request that a server received');
      await serve(request, response);
    },
    async close() {
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}

/** Narrows Node's type, which also covers responses: a received request always has a method and a url. */
function isReceived(message: IncomingMessage): message is IncomingMessage & { method: string; url: string } {
  return message.method !== undefined && message.url !== undefined;
}

function callerOf(extra: Record<string, unknown> | undefined): ServiceCaller {
  const subject = extra?.['subject'];
  return { subject: typeof subject === 'string' ? subject : undefined };
}
