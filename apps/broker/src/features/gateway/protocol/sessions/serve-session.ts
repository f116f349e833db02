import { isInitializeRequest, type RequestId } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import { sendJsonRpcError } from '../../wire/json-rpc-error.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { withExtra, type RequestExtra } from '../request-extra.ts';
import type { LiveSession } from './live-session.ts';
import { openSession, restoreSession } from './open-session.ts';
import { readInitialize } from './read-initialize.ts';
import type { SessionParts } from './session-parts.ts';

/** Serves a request up to 2025-11-25: in the session that it names, or by opening one. */
export async function serveLegacy(
  request: IncomingMessage,
  response: ServerResponse,
  extra: RequestExtra,
  body: unknown,
  parts: SessionParts,
): Promise<void> {
  const id = request.headers['mcp-session-id'];
  const opens = request.method === 'POST' && isInitializeRequest(body);
  if (typeof id === 'string') {
    const session = await find(id, extra, parts);
    if (session) return serve(session, request, response, extra, body, parts);
    if (!opens) return sendJsonRpcError(response, 404, -32001, 'Session not found', body);
  }
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    return sendJsonRpcError(response, 405, -32000, 'Method not allowed: open a session first', body);
  }
  // initialize is never part of a batch (2025-03-26, basic/lifecycle), so a batch cannot open a session
  if (Array.isArray(body)) {
    return sendJsonRpcError(response, 400, -32600, 'Invalid Request: a batch is part of a session of 2025-03-26');
  }
  // a client may send a notice before it has read the id of the session that it opens
  if (isNotice(body)) return void response.writeHead(202).end();
  if (!opens) {
    return sendJsonRpcError(response, 400, -32000, 'Bad Request: Mcp-Session-Id is required', body);
  }
  const initialized = readInitialize(body);
  if ('problem' in initialized) return sendJsonRpcError(response, 400, -32602, initialized.problem, body);
  return openSession(request, response, extra, body, initialized, parts);
}

/** The session that a request names, if this token may use it on this link. */
async function find(
  id: string,
  { context, underWay }: RequestExtra,
  parts: SessionParts,
): Promise<LiveSession | undefined> {
  const session = parts.memory.get(id) ?? (await restoreSession(id, context, parts));
  if (!session || !sameOwner(session.context, context)) return undefined;
  return session.isRetired && !underWay ? undefined : session;
}

async function serve(
  session: LiveSession,
  request: IncomingMessage,
  response: ServerResponse,
  extra: RequestExtra,
  body: unknown,
  { time, mail, others }: SessionParts,
): Promise<void> {
  session.usedAtMs = time.now();
  // the token may have been renewed: its current scopes apply
  session.context.caller = extra.context.caller;
  if (extra.context.request) extra.context.request.program = session.calls.program;
  session.calls.handle(body);
  const strays = request.method === 'POST' ? session.transport.strays(body) : [];
  for (const stray of strays) await mail.passOn(session, stray);
  if (request.method === 'GET') {
    session.openStreams++;
    response.once('close', () => {
      session.openStreams--;
      session.usedAtMs = time.now();
    });
  }
  const revision = session.server.server.getNegotiatedProtocolVersion();
  const listening = (requestId: RequestId) => session.transport.streams.listening(requestId);
  const served = session.transport.serve(withExtra(request, { ...extra, listening }), response, body, revision);
  if (request.method === 'GET' && session.transport.hasOwnStream) others.follow(session, true);
  return served;
}

function isNotice(body: unknown): boolean {
  const { method, id } = asRecord(body) ?? {};
  return typeof method === 'string' && id === undefined;
}

export function sameOwner(a: RequestContext, b: RequestContext): boolean {
  return a.caller.userId === b.caller.userId && a.caller.tokenId === b.caller.tokenId && a.serverId === b.serverId;
}
