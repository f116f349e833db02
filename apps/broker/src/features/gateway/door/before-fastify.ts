import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import type { Identity } from '#features/identity/index.ts';
import type { Caller } from '#platform/http/caller.ts';
import { hasTwoHosts } from '#platform/http/request-target.ts';
import type { GatewayEvents, McpRequest } from '../gateway-events.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { InFlight } from './in-flight.ts';
import type { RequestContext } from '../view/request-context.ts';
import { visibleTo, type Visible } from '../view/visible.ts';
import { maxMcpBodyBytes, readBody } from './read-body.ts';
import { requiredScope } from './required-scope.ts';
import { readWhole } from './read-whole.ts';
import type { FastPath } from '../fast-path/serve-fast.ts';

/** Sees a request before fastify does. It serves the request, or leaves it untouched and calls `next`. */
export type Front = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

type Link = { resource: string; serverId: string | undefined };

const ownLink = /^(\/s\/([a-z0-9][a-z0-9-]{0,62})\/mcp)\/?$/;
const callScope = requiredScope('tools/call');

/**
 * Serves the ordinary calls of remembered callers before fastify sees them. The checks are those of routes.ts. Nothing is
 * refused here: a request that fails a check goes on to fastify, which answers why.
 */
export function createFront(options: {
  publicUrl: string;
  identity: Pick<Identity, 'rememberedMcpCaller'>;
  fastPath: FastPath;
  parts: GatewayParts;
  isDraining(): boolean;
  answers: InFlight;
  events: GatewayEvents | undefined;
}): Front {
  const { publicUrl, identity, fastPath, parts, events } = options;
  const publicHost = new URL(publicUrl).host;
  const wholeLink: Link = { resource: `${publicUrl}/mcp`, serverId: undefined };

  function linkOf({ method, url, headers, rawHeaders }: IncomingMessage): Link | undefined {
    if (method !== 'POST' || url === undefined) return undefined;
    // X-Forwarded-Host counts only from trusted proxies, which fastify knows
    if (headers.host !== publicHost || headers['x-forwarded-host'] !== undefined) return undefined;
    if (hasTwoHosts(rawHeaders)) return undefined;
    if (headers.origin !== undefined && headers.origin !== publicUrl) return undefined;
    if (url === '/mcp' || url === '/mcp/') return wholeLink;
    const [, path, serverId] = ownLink.exec(url) ?? [];
    return path === undefined ? undefined : { resource: publicUrl + path, serverId };
  }

  /** The caller, if their token was valid a moment ago and may call tools. */
  function callerOf({ headers }: IncomingMessage, link: Link): Caller | undefined {
    const { authorization } = headers;
    const caller = authorization && identity.rememberedMcpCaller(authorization, link.resource);
    if (!caller || (callScope !== undefined && !caller.scopes.includes(callScope))) return undefined;
    return caller;
  }

  /** Calls `next` when the request is not for the fast path: its body can be read again from the start. */
  async function serveOrPass(
    request: IncomingMessage,
    response: ServerResponse,
    link: Link & { caller: Caller; length: number },
    next: () => void,
  ): Promise<void> {
    try {
      const bytes = await readWhole(request, link.length);
      // the client hung up: there is no one to answer
      if (!bytes) return;
      const isServed = serve(request, response, link, bytes);
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
    { serverId, caller }: Link & { caller: Caller },
    bytes: Buffer,
  ): boolean | Promise<boolean> {
    const body = callIn(bytes);
    const mcpRequest = { caller, headers: request.headers, body, isAnswered: false, program: undefined };
    const context = { caller, serverId, request: mcpRequest };
    const visible = body && visibleTo(context, parts.catalogue.snapshot(), parts.view);
    if (!visible) return putBack(request, bytes);
    if (!(visible instanceof Promise)) {
      return begin(request, response, context, visible, body) || putBack(request, bytes);
    }
    // put back now: once the view has been read, the stream has ended
    putBack(request, bytes);
    return visible.then((read) => {
      // nobody would tell the call that its client is gone, and there is no one to answer
      if (response.destroyed) return true;
      const isServed = begin(request, response, context, read, body);
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
  ): boolean {
    parts.unread.belongs(request.socket, context.caller.userId);
    const id = parts.ids.uuid();
    const headers = { 'x-content-type-options': 'nosniff', 'x-request-id': id };
    const served = fastPath.serve(request, response, context, visible, body, { id, headers });
    if (!served) return false;
    response.on('close', options.answers.enter());
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

  return (request, response, next) => {
    const link = options.isDraining() ? undefined : linkOf(request);
    const length = bodyLength(request);
    const caller = link && length !== undefined ? callerOf(request, link) : undefined;
    if (!link || length === undefined || !caller) return next();
    void serveOrPass(request, response, { ...link, caller, length }, next);
  };
}

/** The message in a body, if it is a tool call. */
function callIn(bytes: Buffer): Record<string, unknown> | undefined {
  const read = readBody(bytes);
  const message = 'body' in read ? asRecord(read.body) : undefined;
  return message?.['method'] === 'tools/call' ? message : undefined;
}

/** Lets the next reader find the body as it came. Works only in the step in which it was read: then the stream ends. */
function putBack(request: IncomingMessage, bytes: Buffer): false {
  request.unshift(bytes);
  return false;
}

/** The length of a JSON body that declares it, as every client's tools/call does; undefined for all others. */
function bodyLength({ headers }: IncomingMessage): number | undefined {
  if (headers['content-type'] !== 'application/json' || headers['transfer-encoding'] !== undefined) return undefined;
  if (headers['content-encoding'] !== undefined) return undefined;
  const length = Number(headers['content-length']);
  return length > 0 && length <= maxMcpBodyBytes ? length : undefined;
}
