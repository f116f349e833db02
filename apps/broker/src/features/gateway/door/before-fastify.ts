import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import type { Caller } from '#platform/http/caller.ts';
import { hasTwoHosts } from '#platform/http/request-target.ts';
import type { McpRequest } from '../gateway-events.ts';
import type { RequestContext } from '../view/request-context.ts';
import { visibleTo, type Visible } from '../view/visible.ts';
import type { Door } from './door.ts';
import { maxMcpBodyBytes, readBody } from './read-body.ts';
import { requiredScope } from './required-scope.ts';
import { readWhole } from './read-whole.ts';

type Link = { resource: string; serverId: string | undefined };
type Call = Link & { caller: Caller; length: number };
type Front = Door & { publicHost: string; allServers: Link };

const ownLink = /^(\/s\/([a-z0-9][a-z0-9-]{0,62})\/mcp)\/?$/;
const callScope = requiredScope('tools/call');

/**
 * Serves the ordinary calls of remembered callers before fastify sees them, and calls `next` for every other request, which
 * it leaves untouched. The checks are those of serve-request.ts. Nothing is refused here: fastify's routes answer a request
 * that fails a check, and say why.
 */
export function createFront(door: Door) {
  const { publicUrl } = door.parts;
  const allServers: Link = { resource: `${publicUrl}/mcp`, serverId: undefined };
  const front: Front = { ...door, publicHost: new URL(publicUrl).host, allServers };
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const link = door.parts.isDraining() ? undefined : linkOf(request, front);
    const length = bodyLength(request);
    const caller = link && length !== undefined ? callerOf(request, link, front) : undefined;
    if (!link || length === undefined || !caller) return next();
    void serveOrPass(request, response, { ...link, caller, length }, front, next);
  };
}

function linkOf({ method, url, headers, rawHeaders }: IncomingMessage, front: Front): Link | undefined {
  const { publicUrl } = front.parts;
  if (method !== 'POST' || url === undefined) return undefined;
  // X-Forwarded-Host counts only from trusted proxies, which fastify knows
  if (headers.host !== front.publicHost || headers['x-forwarded-host'] !== undefined) return undefined;
  if (hasTwoHosts(rawHeaders)) return undefined;
  if (headers.origin !== undefined && headers.origin !== publicUrl) return undefined;
  if (url === '/mcp' || url === '/mcp/') return front.allServers;
  const [, path, serverId] = ownLink.exec(url) ?? [];
  return path === undefined ? undefined : { resource: publicUrl + path, serverId };
}

/** The caller, if their token was valid a moment ago and may call tools. */
function callerOf({ headers }: IncomingMessage, link: Link, { identity }: Front): Caller | undefined {
  const { authorization } = headers;
  const caller = authorization && identity.rememberedMcpCaller(authorization, link.resource);
  if (!caller || (callScope !== undefined && !caller.scopes.includes(callScope))) return undefined;
  return caller;
}

/** Calls `next` when the request is not for the fast path: its body can be read again from the start. */
async function serveOrPass(
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  front: Front,
  next: () => void,
): Promise<void> {
  try {
    const bytes = await readWhole(request, call.length);
    // the client hung up
    if (!bytes) return;
    const isServed = serve(request, response, call, bytes, front);
    if (isServed instanceof Promise ? await isServed : isServed) return;
  } catch {
    // the view could not be read because the database is unreachable: fastify's route answers that
  }
  next();
}

/** @returns false when the request is not for the fast path */
function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { serverId, caller }: Call,
  bytes: Buffer,
  front: Front,
): boolean | Promise<boolean> {
  const body = callIn(bytes);
  const mcpRequest = { caller, headers: request.headers, body, isAnswered: false, program: undefined };
  const context = { caller, serverId, request: mcpRequest };
  const visible = body && visibleTo(context, front.parts.catalogue.snapshot(), front.parts.view);
  if (!visible) return putBack(request, bytes);
  if (!(visible instanceof Promise)) {
    return begin(request, response, context, visible, body, front) || putBack(request, bytes);
  }
  // put the body back now: once the view has been read, the stream has ended
  putBack(request, bytes);
  return visible.then((read) => {
    // the client has hung up, and nothing else would end the call
    if (response.destroyed) return true;
    const isServed = begin(request, response, context, read, body, front);
    if (isServed) request.resume();
    return isServed;
  });
}

function begin(
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext & { request: McpRequest },
  visible: Visible,
  body: unknown,
  { fastPath, parts, answers, events }: Front,
): boolean {
  parts.unread.belongs(request.socket, context.caller.userId);
  const id = parts.ids.uuid();
  const headers = { 'x-content-type-options': 'nosniff', 'x-request-id': id };
  const served = fastPath.serve(request, response, context, visible, body, { id, headers });
  if (!served) return false;
  response.on('close', answers.enter());
  served.then(
    () => {
      if (!context.request.isAnswered) events?.requestServed(context.request, response.statusCode);
    },
    (error: unknown) => {
      parts.log.error({ err: error }, 'a call of the fast path could not be answered');
      response.destroy();
    },
  );
  return true;
}

/** The message in a body, if it is a tool call. */
function callIn(bytes: Buffer): Record<string, unknown> | undefined {
  const read = readBody(bytes);
  const message = 'body' in read ? asRecord(read.body) : undefined;
  return message?.['method'] === 'tools/call' ? message : undefined;
}

/** Lets the next reader find the body unchanged. Must run in the tick that read it: the stream ends after that. */
function putBack(request: IncomingMessage, bytes: Buffer): false {
  request.unshift(bytes);
  return false;
}

/** The declared length of a JSON body, as every client's tools/call has it; undefined for all other requests. */
function bodyLength({ headers }: IncomingMessage): number | undefined {
  if (headers['content-type'] !== 'application/json' || headers['transfer-encoding'] !== undefined) return undefined;
  if (headers['content-encoding'] !== undefined) return undefined;
  const length = Number(headers['content-length']);
  return length > 0 && length <= maxMcpBodyBytes ? length : undefined;
}
