/**
 * Why an upstream could not answer. The gateway turns the kind into an answer for its client
 * (docs: security, bad inputs 15-23); `protocol` errors are passed on with code, message and data.
 *
 * - `unreachable`      nothing took the request: connection refused, name unknown, program not startable, HTTP 429, 503
 * - `timeout`          no answer (or no progress) within the deadline
 * - `closed`           the connection or the process ended while a call was open, HTTP 502, 504
 * - `bad_upstream`     it answered with something that is not MCP
 * - `result_too_large` an answer above the byte limit
 * - `too_many_tools`   more tools than a server may have
 * - `sign_in_required` HTTP 401, or 403 for want of scopes; `wwwAuthenticate` holds the challenge
 * - `session_lost`     a legacy session that the server no longer knows: open again
 * - `refused_address`  an address that is not public and not allow-listed (SSRF)
 * - `cancelled`        the caller's own signal
 * - `busy`             no place for another call; nothing was sent
 * - `restarting`       a program or service of ours that ended and is started again; nothing was sent
 * - `quarantined`      a program that crashed again and again: it is not started until somebody says so
 * - `no_sandbox`       a program, where programs run in a sandbox alone and there is none
 * - `protocol`         a JSON-RPC error of the upstream
 *
 * What failed as unreachable, session_lost, sign_in_required or refused_address cannot have run: it may be tried again.
 */
export type UpstreamErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'closed'
  | 'bad_upstream'
  | 'result_too_large'
  | 'too_many_tools'
  | 'sign_in_required'
  | 'session_lost'
  | 'refused_address'
  | 'cancelled'
  | 'busy'
  | 'restarting'
  | 'quarantined'
  | 'no_sandbox'
  | 'protocol';

export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  /** JSON-RPC code, message and data of a `protocol` error. */
  readonly code: number | undefined;
  readonly data: unknown;
  /** The challenge of a `sign_in_required`, as the server wrote it. */
  readonly wwwAuthenticate: string | undefined;
  /** When it may go better, of a `restarting` and of a server that is left alone; undefined when nobody can say. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: UpstreamErrorKind,
    message: string,
    details: {
      code?: number;
      data?: unknown;
      wwwAuthenticate?: string | undefined;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'UpstreamError';
    this.kind = kind;
    this.code = details.code;
    this.data = details.data;
    this.wwwAuthenticate = details.wwwAuthenticate;
    this.retryAfterMs = details.retryAfterMs;
  }
}
