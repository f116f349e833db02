import type { RequestId, ServerContext } from '@modelcontextprotocol/server';
import type { IncomingMessage } from 'node:http';
import type { Listening } from '#adapters/mcp/upstream.ts';
import type { LogicalCall } from '../call/call.ts';
import type { CallUnderWay } from '../call/call-under-way.ts';
import type { RequestContext } from '../view/request-context.ts';
import type { Visible } from '../view/visible.ts';

/** What a request carries through the SDK, which passes `extra` on unchanged. */
export type RequestExtra = {
  context: RequestContext;
  visible?: Visible;
  /** The requested call, if it is running already. */
  underWay?: CallUnderWay | undefined;
  /** Whether the stream of the client's request with this id takes notices. */
  listening(id: RequestId): Listening;
  /** How long the client has waited when the request comes here. */
  waitedMs?: number | undefined;
  /** The logical call of each message of the request: the first has the request's own id. */
  nextCall(): LogicalCall;
};

/** The request in the form that the SDK's handlers take, with our extra. */
export function withExtra(request: IncomingMessage, extra: RequestExtra) {
  const { clientId, scopes } = extra.context.caller;
  const auth = { token: '', clientId, scopes: [...scopes], extra };
  return Object.assign(request, { auth, method: request.method ?? 'POST', url: request.url ?? '/' });
}

/** What withExtra put there: the SDK's type only knows a record. */
export function extraOf(authInfo: { extra?: Record<string, unknown> } | undefined): RequestExtra | undefined {
  return authInfo?.extra as RequestExtra | undefined;
}

/** @throws Error for a message whose request did not go through withExtra */
export function extraOfMessage({ http }: ServerContext): RequestExtra {
  const extra = extraOf(http?.authInfo);
  if (!extra) throw new Error('a message reached its handler without its request');
  return extra;
}

/** The logical calls of one HTTP request; a batch of 2025-03-26 has several. */
export function callsOf(first: LogicalCall, newId: () => string): () => LogicalCall {
  let next: LogicalCall | undefined = first;
  return () => {
    const call = next ?? { id: newId() };
    next = undefined;
    return call;
  };
}
