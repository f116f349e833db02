/**
 * Why an upstream did not answer. The gateway turns the kind into an answer for its client
 * (docs: security, bad inputs 15-23); `protocol` errors are passed on with code, message and data.
 *
 * - `unreachable`      the request was not accepted: connection refused, unknown name, no such program, HTTP 503
 * - `timeout`          no answer (or no progress) within the deadline
 * - `closed`           the connection or the process ended while a call was open, HTTP 502, 504
 * - `bad_upstream`     the answer was not valid MCP
 * - `bad_result`       a tool's result that does not fit its outputSchema
 * - `result_too_large` an answer above the byte limit
 * - `too_many_tools`   more tools than a server may have
 * - `sign_in_required` HTTP 401, or 403 for missing scopes; `wwwAuthenticate` has the challenge
 * - `session_lost`     the server no longer knows the legacy session: open a new one
 * - `refused_address`  an address that is not public and not allow-listed (SSRF)
 * - `cancelled`        the caller aborted its signal
 * - `busy`             too many calls running, and nothing was sent; or the server said so: HTTP 429
 * - `restarting`       a program or service that we run ended and is being restarted; nothing was sent
 * - `quarantined`      a program crashed repeatedly: it stays stopped until the server is refreshed or deployed again
 * - `no_sandbox`       programs may only run in a sandbox, and this machine has none
 * - `no_network`       a program needs a network that this machine cannot give it
 * - `not_allowed`     the operator's allow-list does not have the program; the message says what to do
 * - `not_set_up`       the operator has not finished setting it up (a program, a secret); the message says what is missing
 * - `folder_full`      a person's files take more than they may: their programs were ended, or are not started
 * - `shared_folder_full`  the same of a program that people share: the operator makes room; the message says where
 * - `disk_full`        too little of our own disk is free for a program to run
 * - `over_limit`       a program was ended because it took or sent more than it may; the message says of what
 * - `protocol`         the upstream returned a JSON-RPC error
 *
 * A call that failed as unreachable, busy, session_lost, sign_in_required or refused_address has not run and can be retried.
 * A server may also report the lost session in a JSON-RPC error: then the kind is `protocol` and `hasLostSession` is set.
 */
export type UpstreamErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'closed'
  | 'bad_upstream'
  | 'bad_result'
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
  | 'no_network'
  | 'not_allowed'
  | 'not_set_up'
  | 'folder_full'
  | 'shared_folder_full'
  | 'disk_full'
  | 'over_limit'
  | 'protocol';

export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  /** JSON-RPC code, message and data of a `protocol` error. */
  readonly code: number | undefined;
  readonly data: unknown;
  /** The challenge of a `sign_in_required` error, as the server wrote it. */
  readonly wwwAuthenticate: string | undefined;
  /** When to retry, for `restarting`, `busy` and an open circuit; undefined when unknown. */
  readonly retryAfterMs: number | undefined;
  /** Of a `cancelled` call: it is certain that nothing was sent. */
  readonly wasUnsent: boolean;
  /** The server no longer knows the legacy session: this connection serves no further call. */
  readonly hasLostSession: boolean;
  /** Of a lost session: the server may have run the call before it noticed. */
  readonly mayHaveRun: boolean;

  constructor(
    kind: UpstreamErrorKind,
    message: string,
    details: {
      code?: number;
      data?: unknown;
      wwwAuthenticate?: string | undefined;
      retryAfterMs?: number | undefined;
      wasUnsent?: boolean;
      hasLostSession?: boolean;
      mayHaveRun?: boolean;
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
    this.wasUnsent = details.wasUnsent ?? false;
    this.hasLostSession = details.hasLostSession ?? kind === 'session_lost';
    this.mayHaveRun = details.mayHaveRun ?? false;
  }
}
