/**
 * Why an upstream did not answer. The gateway turns the kind into an answer for its client.
 *
 * A call that failed as unreachable, busy, session_lost, sign_in_required or refused_address has not run and can be retried.
 * A server may also report the lost session in a JSON-RPC error: then the kind is `protocol` and `hasLostSession` is set.
 */
export type UpstreamErrorKind =
  /** The request was not accepted: connection refused, unknown name, no such program, HTTP 503. */
  | 'unreachable'
  /** No answer, or no progress, within the deadline. */
  | 'timeout'
  /** The connection or the process ended while a call was open, or HTTP 502, 504. */
  | 'closed'
  | 'bad_upstream'
  /** A tool's result does not fit its outputSchema. */
  | 'bad_result'
  | 'result_too_large'
  | 'too_many_tools'
  /** HTTP 401, or 403 for missing scopes; `wwwAuthenticate` has the challenge. */
  | 'sign_in_required'
  /** The server no longer knows the legacy session: open a new one. */
  | 'session_lost'
  /** The address is neither public nor allow-listed (SSRF). */
  | 'refused_address'
  | 'cancelled'
  /** Too many calls are running, and nothing was sent; or the server said so: HTTP 429. */
  | 'busy'
  /** A program or service that we run ended and is being restarted; nothing was sent. */
  | 'restarting'
  /** A program crashed repeatedly: it stays stopped until the server is refreshed or deployed again. */
  | 'quarantined'
  /** Programs may only run in a sandbox, and this machine has none. */
  | 'no_sandbox'
  /** The program needs a network that this machine cannot give it. */
  | 'no_network'
  /** The program is not in the operator's allow-list; the message says what to do. */
  | 'not_allowed'
  /** The operator has not finished setting it up (a program, a secret); the message says what is missing. */
  | 'not_set_up'
  /** The user's files exceed their limit: their programs were ended, or are not started. */
  | 'folder_full'
  /** The files of a shared program exceed their limit: the operator makes room; the message says where. */
  | 'shared_folder_full'
  /** Too little of our own disk is free for a program to run. */
  | 'disk_full'
  /** A program was ended because it exceeded a limit; the message says which. */
  | 'over_limit'
  /** The upstream returned a JSON-RPC error, which is passed on with code, message and data. */
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
  /** Whether it is certain that nothing of a `cancelled` call was sent. */
  readonly wasUnsent: boolean;
  /** Whether the server lost the legacy session: this connection serves no further call. */
  readonly hasLostSession: boolean;
  /** Whether the server may have run the call before it noticed the lost session. */
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
