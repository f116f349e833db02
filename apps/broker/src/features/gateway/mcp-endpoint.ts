import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildServer, type ServerIdentity } from './build-server.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { createLegacySessions, type LegacySessions } from './legacy-sessions.ts';
import { sendJsonRpcError } from './json-rpc-error.ts';
import { visibleTo, type Person } from './person.ts';
import type { CallUnderWay } from './plain/open-call.ts';
import { extraOf, withExtra } from './request-extra.ts';
import { createListenStreams, isListen } from './subscriptions/listen-streams.ts';

const maxListenStreams = 10_000;

/** Serves authenticated MCP requests of both protocol eras at one address. */
export type McpEndpoint = {
  /** `underWay`: the call that the request asks for runs already. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    person: Person,
    body: unknown,
    underWay?: CallUnderWay,
  ): Promise<void>;
  readonly sessions: LegacySessions;
  /** Tells one person's clients, or everybody's (undefined), that lists may differ. */
  notifyListChanged(userId?: string): void;
  /** Ends what a token that was revoked keeps open: its sessions and streams, or all (undefined). */
  endForToken(tokenId: string | undefined): void;
  stop(): Promise<void>;
};

export function createMcpEndpoint(identity: ServerIdentity, parts: GatewayParts): McpEndpoint {
  const listening = createListenStreams(parts.subscriptions, parts.log);
  const modern = createMcpHandler(
    (context) => {
      const extra = extraOf(context.authInfo);
      if (!extra) throw new Error('a request came to the endpoint without its person');
      return buildServer(extra.person, identity, parts, extra.visible);
    },
    {
      legacy: 'reject',
      bus: listening.bus,
      // each person's streams are counted where they are opened
      maxSubscriptions: maxListenStreams,
      onerror: (error) => parts.log.debug({ err: error }, 'a modern MCP request failed'),
    },
  );
  const serveModern = toNodeHandler(modern, {
    onerror: (error) => parts.log.error({ err: error }, 'an MCP request could not be served'),
  });
  const sessions = createLegacySessions({
    build: (person) => buildServer(person, identity, parts),
    clock: parts.clock,
    ids: parts.ids,
  });

  return {
    sessions,
    async handle(request, response, person, body, underWay) {
      if (isLegacy(request, body)) {
        if (underWay) withExtra(request, { person, underWay });
        return sessions.handle(request, response, person, body);
      }
      const visible = await visibleTo(person, parts.catalogue.snapshot(), parts.access);
      const serve = () => serveModern(withExtra(request, { person, visible, underWay }), response, body);
      if (!isListen(body)) return serve();
      const opened = await listening.open(person, body, response, serve);
      if (!opened) sendJsonRpcError(response, 200, -32603, 'Subscription limit reached', body);
    },
    notifyListChanged(userId) {
      for (const kind of ['tools_list_changed', 'prompts_list_changed', 'resources_list_changed'] as const) {
        listening.publish({ kind }, userId);
      }
      sessions.notifyListChanged(userId);
    },
    endForToken(tokenId) {
      sessions.endForToken(tokenId);
      listening.endForToken(tokenId);
    },
    async stop() {
      await Promise.all([modern.close(), sessions.stop()]);
    },
  };
}

/**
 * Modern requests carry their protocol version with each message (2026-07-28, basic/versioning); everything else, GET
 * and DELETE of a session above all, is of the eras up to 2025-11-25. A modern header without the claim in the body goes
 * to the modern side too, which names what is missing.
 */
function isLegacy(request: IncomingMessage, body: unknown): boolean {
  if (request.method !== 'POST') return !isModernVersion(request.headers);
  if (hasModernClaim(body)) return false;
  return !isModernVersion(request.headers);
}

function isModernVersion(headers: IncomingMessage['headers']): boolean {
  const version = headers['mcp-protocol-version'];
  return typeof version === 'string' && version >= '2026-07-28' && /^\d{4}-\d{2}-\d{2}$/.test(version);
}

function hasModernClaim(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('params' in body)) return false;
  const { params } = body;
  if (typeof params !== 'object' || params === null || !('_meta' in params)) return false;
  const meta = params._meta;
  return typeof meta === 'object' && meta !== null && PROTOCOL_VERSION_META_KEY in meta;
}
