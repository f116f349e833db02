import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#platform/http/caller.ts';

/** A request at an MCP endpoint whose caller is known. One object from its arrival to its answer. */
export type McpRequest = {
  caller: Caller;
  headers: IncomingHttpHeaders;
  /** The JSON-RPC message or batch. */
  body: unknown;
  /** Whether `requestAnswered` was told of it. */
  isAnswered: boolean;
  /** The name that the client gave when it opened the request's session; undefined without a session. A claim. */
  program: string | undefined;
};

/** A request at an MCP endpoint that was refused before its caller was known. */
export type RefusedRequest = {
  headers: IncomingHttpHeaders;
  /** The client's address, as TRUST_PROXY has it. */
  address: string;
  /** The address of the endpoint, as its tokens name it. */
  resource: string;
};

/**
 * What the gateway tells of requests at its endpoints, for a feature that follows them (diagnostics). app.ts joins the
 * two. Listeners return at once and never throw: they are on the path of every call.
 */
export type GatewayEvents = {
  /** Refused for its Host or Origin, before its token was looked at. */
  requestTurnedAway(request: RefusedRequest, code: 'foreign_host' | 'foreign_origin'): void;
  /** Answered with 404: `asked` is no link. `resource` is the one that was meant. */
  addressUnknown(request: RefusedRequest, asked: string): void;
  /** Answered with a challenge: its token is missing, or is not good here. */
  requestChallenged(request: RefusedRequest): void;
  /** Refused: its token is good, and lacks the scope `missing` for `method`. */
  scopeLacking(request: McpRequest, method: string, missing: string): void;
  /**
   * `method` came to a result: a session is open, a list is answered, a call has its tool's answer or a tool's own error.
   * Not told of refusals of the gateway, of failures, nor of an answer that asks for input. Once for each message of a
   * batch, before the answer is written.
   */
  requestAnswered(request: McpRequest, method: string): void;
  /** Answered with this HTTP status, and no method came to a result. */
  requestServed(request: McpRequest, status: number): void;
};
