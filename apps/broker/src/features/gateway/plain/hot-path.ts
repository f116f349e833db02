import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRecord } from '#adapters/mcp/plain/json-object.ts';
import type { Identity } from '#features/identity/index.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { InFlight } from '../in-flight.ts';
import { visibleTo, type Person, type Visible } from '../person.ts';
import { maxMcpBodyBytes, readBody } from '../read-body.ts';
import { requiredScope } from '../required-scope.ts';
import { readWhole } from './read-whole.ts';
import type { PlainPath } from './serve-plain.ts';

/** Sees a request before fastify does: serves it, or calls `next`, and then nothing has happened to it. */
export type Front = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

type Link = { resource: string; serverId: string | undefined };

const ownLink = /^\/s\/([a-z0-9][a-z0-9-]{0,62})\/mcp$/;
const callScope = requiredScope('tools/call');

/**
 * Plain calls of people whom we know, before anything general looks at them. The checks are those of routes.ts, and
 * nothing is refused here: what does not pass every one of them takes the long way, which says why.
 */
export function createHotPath(options: {
  publicUrl: string;
  identity: Pick<Identity, 'rememberedMcpCaller' | 'connectionLog'>;
  plain: PlainPath;
  parts: GatewayParts;
  isDraining(): boolean;
  answers: InFlight;
}): Front {
  const { publicUrl, identity, plain, parts } = options;
  const publicHost = new URL(publicUrl).host;

  function linkOf({ method, url, headers }: IncomingMessage): Link | undefined {
    if (method !== 'POST' || url === undefined) return undefined;
    // a proxy's word for the host counts only from proxies that are trusted: fastify knows them
    if (headers.host !== publicHost || headers['x-forwarded-host'] !== undefined) return undefined;
    if (headers.origin !== undefined && headers.origin !== publicUrl) return undefined;
    if (url === '/mcp') return { resource: `${publicUrl}/mcp`, serverId: undefined };
    const serverId = ownLink.exec(url)?.[1];
    return serverId === undefined ? undefined : { resource: publicUrl + url, serverId };
  }

  /** Somebody whose token was good a moment ago, and whose client has called tools before. */
  function callerOf({ headers }: IncomingMessage, link: Link): Caller | undefined {
    const { authorization } = headers;
    const caller = authorization && identity.rememberedMcpCaller(authorization, link.resource);
    if (!caller || (callScope !== undefined && !caller.scopes.includes(callScope))) return undefined;
    return identity.connectionLog.isCallKnown(caller, headers) ? caller : undefined;
  }

  /** @returns false when the request is none of ours: it can be read again from its beginning */
  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { serverId }: Link,
    caller: Caller,
    length: number,
  ): Promise<boolean> {
    const bytes = await readWhole(request, length);
    // hung up: nobody is there to be answered
    if (!bytes) return true;
    const body = callIn(bytes);
    const person = { caller, serverId };
    const visible = body && visibleTo(person, parts.catalogue.snapshot(), parts.access);
    if (!visible) return putBack(request, bytes);
    if (!(visible instanceof Promise)) {
      return begin(request, response, person, visible, body) || putBack(request, bytes);
    }
    // now, not when the answer is there: the stream would have ended
    putBack(request, bytes);
    const isServed = begin(request, response, person, await visible, body);
    if (isServed) request.resume();
    return isServed;
  }

  function begin(
    request: IncomingMessage,
    response: ServerResponse,
    person: Person,
    visible: Visible,
    body: unknown,
  ): boolean {
    const id = parts.ids.uuid();
    const headers = { 'x-content-type-options': 'nosniff', 'x-request-id': id };
    const served = plain.serve(request, response, person, visible, body, { id, headers });
    if (!served) return false;
    response.on('close', options.answers.enter());
    served.catch((error: unknown) => {
      parts.log.error({ err: error }, 'a plain call could not be answered');
      response.destroy();
    });
    return true;
  }

  return (request, response, next) => {
    const link = options.isDraining() ? undefined : linkOf(request);
    const length = bodyLength(request);
    const caller = link && length !== undefined ? callerOf(request, link) : undefined;
    if (!link || length === undefined || !caller) return next();
    void serveOrPass(() => serve(request, response, link, caller, length), next);
  };
}

/** The message in a body, if it is a tool call. */
function callIn(bytes: Buffer): Record<string, unknown> | undefined {
  const read = readBody(bytes);
  const message = 'body' in read ? asRecord(read.body) : undefined;
  return message?.['method'] === 'tools/call' ? message : undefined;
}

/** Whoever is next finds the body as it came. Only in the step in which it was read: after that the stream has ended. */
function putBack(request: IncomingMessage, bytes: Buffer): false {
  request.unshift(bytes);
  return false;
}

async function serveOrPass(serve: () => Promise<boolean>, next: () => void): Promise<void> {
  // what a person sees could not be read, the database is away: the long way has words for that
  const isServed = await serve().catch(() => false);
  if (!isServed) next();
}

/** Of a body that says how long it is, which every client's tools/call does; undefined for all others. */
function bodyLength({ headers }: IncomingMessage): number | undefined {
  if (headers['content-type'] !== 'application/json' || headers['transfer-encoding'] !== undefined) return undefined;
  const length = Number(headers['content-length']);
  return length > 0 && length <= maxMcpBodyBytes ? length : undefined;
}
