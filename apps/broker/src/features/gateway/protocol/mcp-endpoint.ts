import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildServer } from './build-server.ts';
import type { IdentityOf } from './server-identity.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { createLegacySessions } from './sessions/legacy-sessions.ts';
import type { Database } from '#platform/db/database.ts';
import { asRecord } from '#platform/json.ts';
import { sendJsonRpcError } from '../wire/json-rpc-error.ts';
import { asEventAnswer, asJsonAnswer } from '../wire/json-answer.ts';
import { orLateStream } from '../wire/late-stream.ts';
import { listeningOn } from '../wire/listening-on.ts';
import { nameAcceptedTypes, parseAccept } from '../wire/parse-accept.ts';
import { findResource } from '../view/find-resource.ts';
import type { ListChanges } from '../view/list-changes.ts';
import type { RequestContext } from '../view/request-context.ts';
import { visibleTo } from '../view/visible.ts';
import { isModernVersion } from './modern-revision.ts';
import { callsOf, extraOf, withExtra, type CallUnderWay } from './request-extra.ts';
import { addressesOf, createListenStreams, isListen } from './subscriptions/listen-streams.ts';

const maxListenStreams = 10_000;

/** `underWay` is the requested call, if it is already running, and `waitedMs` how long its client has waited. */
type RequestFacts = { requestId: string; underWay?: CallUnderWay; waitedMs?: number };

export type McpEndpoint = Awaited<ReturnType<typeof createMcpEndpoint>>;

/** Serves authenticated MCP requests of both protocol eras at one address. */
export async function createMcpEndpoint(identityOf: IdentityOf, parts: GatewayParts, db: Database) {
  const listening = createListenStreams(parts.subscriptions, identityOf, parts.log);
  const modern = createMcpHandler(
    (context) => {
      const extra = extraOf(context.authInfo);
      if (!extra) throw new Error('a request reached the endpoint without its context');
      return buildServer(extra.context, identityOf, parts, extra.visible);
    },
    {
      legacy: 'reject',
      bus: listening.bus,
      // the limit per user is applied where a stream is opened
      maxSubscriptions: maxListenStreams,
      onerror: (error) => parts.log.debug({ err: error }, 'a modern MCP request failed'),
    },
  );
  const acceptable: typeof modern.fetch = (request, options) => {
    const accepted = parseAccept(request.headers.get('accept') ?? undefined);
    const answer = modern.fetch(request, options).then(withoutConnection);
    if (!accepted.events) return answer.then((response) => asJsonAnswer(response, options?.parsedBody));
    const inTime = orLateStream(answer, parts.keepAlive, extraOf(options?.authInfo)?.waitedMs ?? 0);
    return accepted.json ? inTime : inTime.then(asEventAnswer);
  };
  const serveModern = toNodeHandler(
    { fetch: acceptable },
    {
      onerror: (error) => parts.log.error({ err: error }, 'an MCP request could not be served'),
    },
  );
  const sessions = await createLegacySessions({
    ...parts,
    db,
    build: (context) => buildServer(context, identityOf, parts),
  });

  return {
    sessions,
    async handle(
      request: IncomingMessage,
      response: ServerResponse,
      context: RequestContext,
      body: unknown,
      { requestId, underWay, waitedMs }: RequestFacts,
    ): Promise<void> {
      nameAcceptedTypes(request);
      const extra = {
        context,
        underWay,
        nextCall: callsOf(underWay?.logical ?? { id: requestId }, parts.ids.uuid),
        listening: () => listeningOn(response),
        waitedMs,
      };
      if (isLegacy(request, body)) return sessions.handle(request, response, extra, body);
      const visible = await visibleTo(context, parts.catalogue.snapshot(), parts.view);
      const serve = () => serveModern(withExtra(request, { ...extra, visible }), response, body);
      if (!isListen(body)) return serve();
      const unknown = addressesOf(body).find((address) => !findResource(context, visible, address));
      if (unknown !== undefined) {
        return sendJsonRpcError(response, 200, -32602, `Resource not found: ${unknown}`, body, { uri: unknown });
      }
      const opened = await listening.open(context, body, response, serve);
      if (!opened) sendJsonRpcError(response, 200, -32603, 'Subscription limit reached', body);
    },
    /** Notifies the clients whose lists changed; all clients if that is unknown (undefined). */
    notifyListChanged(changes?: ListChanges): void {
      for (const kind of ['tools', 'prompts', 'resources'] as const) {
        listening.publish({ kind: `${kind}_list_changed` }, (context) => changes?.(context).includes(kind) ?? true);
      }
      sessions.notifyListChanged(changes);
    },
    /** Ends the sessions and streams of a revoked token, or all streams (undefined). Running calls finish. */
    endForToken(tokenId: string | undefined): void {
      sessions.endForToken(tokenId);
      listening.endForToken(tokenId);
    },
    /** The tokens of the lasting streams, except those of sessions, which look up their own. */
    tokensOfStreams: () => listening.tokens(),
    /** Ends all streams gracefully: clients open them again elsewhere. */
    endStreams(): void {
      sessions.endStreams();
      listening.endAll();
    },
    async stop(): Promise<void> {
      await Promise.all([modern.close(), sessions.stop()]);
    },
  };
}

/** Removes the SDK's `Connection: keep-alive` from a stream: a stopping broker closes the connection. */
function withoutConnection(response: Response): Response {
  response.headers.delete('connection');
  return response;
}

/**
 * Whether a request belongs to a revision up to 2025-11-25. Modern requests carry their protocol version in each message
 * (2026-07-28, basic/versioning). A modern header without the claim in the body counts as modern: the modern side then names
 * what is missing.
 */
function isLegacy(request: IncomingMessage, body: unknown): boolean {
  if (request.method === 'POST' && hasModernClaim(body)) return false;
  return !isModernVersion(request.headers['mcp-protocol-version']);
}

function hasModernClaim(body: unknown): boolean {
  const meta = asRecord(asRecord(asRecord(body)?.['params'])?.['_meta']);
  return meta !== undefined && PROTOCOL_VERSION_META_KEY in meta;
}
