import type { CallToolResult, InputRequiredResult, RequestId, ServerContext } from '@modelcontextprotocol/server';
import type { IncomingMessage } from 'node:http';
import type { Listening } from '#adapters/mcp/upstream.ts';
import type { LogicalCall } from '../call/call.ts';
import type { CallRequest } from '../call/call-request.ts';
import type { RequestContext } from '../view/request-context.ts';
import type { Visible } from '../view/visible.ts';

/** A call that is already running when the SDK's server takes over its answer. */
export type CallUnderWay = {
  readonly logical: LogicalCall;
  /**
   * Returns the call's result. From now on questions, notices and cancellation go through this request. Undefined the
   * second time: the SDK's server is then running another round.
   */
  take(request: CallRequest<unknown>): Promise<CallToolResult | InputRequiredResult> | undefined;
};

/** Our data on a request's way through the SDK, which passes `extra` on unchanged. */
export type RequestExtra = {
  context: RequestContext;
  visible?: Visible;
  underWay?: CallUnderWay | undefined;
  /** Whether the stream of the client's request with this id takes notices. */
  listening(id: RequestId): Listening;
  /** How long the client has waited before the request came here. */
  waitedMs?: number | undefined;
  /** Returns the logical call of each message of the request in turn: the first has the request's own id. */
  nextCall(): LogicalCall;
};

/** The request in the form that the SDK's handlers take, with our extra. */
export function withExtra(request: IncomingMessage, extra: RequestExtra) {
  const { clientId, scopes } = extra.context.caller;
  const auth = { token: '', clientId, scopes: [...scopes], extra };
  return Object.assign(request, { auth, method: request.method ?? 'POST', url: request.url ?? '/' });
}

// why the cast: the SDK's type only knows a record, and withExtra put it there
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
