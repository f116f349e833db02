import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#platform/http/caller.ts';

/** A request at an MCP endpoint whose caller is known. One object from its arrival to its answer. */
export type McpRequest = {
  caller: Caller;
  headers: IncomingHttpHeaders;
  /** The JSON-RPC message or batch. */
  body: unknown;
  /** Whether `requestAnswered` was called for it. */
  isAnswered: boolean;
  /** The name that the client gave when it opened the request's session, unverified; undefined without a session. */
  program: string | undefined;
};

/** A request at an MCP endpoint that was refused before its caller was known. */
export type RefusedRequest = {
  headers: IncomingHttpHeaders;
  /** The client's address, according to TRUST_PROXY. */
  address: string;
  /** The URL of the endpoint, as its tokens name it. */
  resource: string;
};

/**
 * Events of requests at the gateway's endpoints, for a feature that follows them (diagnostics). app/join-gateway.ts connects
 * the two. Listeners return immediately and never throw: they are on the path of every call.
 */
export type GatewayEvents = {
  /** Refused for its Host or Origin, before its token was checked. */
  requestTurnedAway(request: RefusedRequest, code: 'foreign_host' | 'foreign_origin'): void;
  /** Answered with 404: `asked` is not a link. `resource` is the link that was probably meant. */
  addressUnknown(request: RefusedRequest, asked: string): void;
  /** Answered with a challenge: its token is missing or not valid here. */
  requestChallenged(request: RefusedRequest): void;
  /** Refused: its token is valid, but lacks the scope `missing` for `method`. */
  scopeLacking(request: McpRequest, method: string, missing: string): void;
  /**
   * `method` has a result: a session is open, a list is answered, a call has its tool's answer or the tool's own error. Not
   * called for refusals, failures, or answers that ask for input. Called once for each message of a batch, before the answer
   * is written.
   */
  requestAnswered(request: McpRequest, method: string): void;
  /** Answered with this HTTP status, and no method has a result. */
  requestServed(request: McpRequest, status: number): void;
};
