import type { CallToolResult } from '@modelcontextprotocol/server';
import { UpstreamError, type UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';

/** Codes in `_meta` of a result that says why a call brought nothing (security.md, bad inputs). */
export type CallFailureCode =
  | 'upstream_unavailable'
  | 'timeout'
  | 'bad_upstream'
  | 'result_too_large'
  | 'sign_in_required'
  | 'rate_limited'
  | 'busy'
  | 'tool_changed'
  | 'cancelled';

const codes: Record<Exclude<UpstreamErrorKind, 'protocol'>, CallFailureCode> = {
  unreachable: 'upstream_unavailable',
  closed: 'upstream_unavailable',
  session_lost: 'upstream_unavailable',
  timeout: 'timeout',
  bad_upstream: 'bad_upstream',
  too_many_tools: 'bad_upstream',
  refused_address: 'upstream_unavailable',
  restarting: 'upstream_unavailable',
  quarantined: 'upstream_unavailable',
  no_sandbox: 'upstream_unavailable',
  result_too_large: 'result_too_large',
  sign_in_required: 'sign_in_required',
  cancelled: 'cancelled',
  busy: 'busy',
};

const texts: Record<CallFailureCode, (server: string) => string> = {
  upstream_unavailable: (server) =>
    `${server} cannot be reached right now. Nothing was charged. Try again in a moment.`,
  timeout: (server) => `${server} did not answer in time. Nothing was charged.`,
  bad_upstream: (server) => `${server} gave an answer that is not valid MCP. Nothing was charged.`,
  result_too_large: (server) => `${server} gave an answer that is too large to pass on. Nothing was charged.`,
  sign_in_required: (server) =>
    `${server} needs your own sign-in there before its tools can be used. Nothing was charged.`,
  rate_limited: () => 'Too many calls in the last minute. Wait a moment and try again. Nothing was charged.',
  busy: (server) => `${server} is busy with other calls. Try again in a moment. Nothing was charged.`,
  tool_changed: (server) =>
    `${server} changed this tool since it was approved here. It can be used again once an administrator has looked at the change. Nothing was charged.`,
  cancelled: () => 'The call was cancelled.',
};

export function failureCode(error: UpstreamError): CallFailureCode | undefined {
  return error.kind === 'protocol' ? undefined : codes[error.kind];
}

/** Where the cause says more than its code: what to do differs. Undefined for the others. */
function textOfCause({ kind, retryAfterMs }: UpstreamError, server: string): string | undefined {
  const again = `Nothing was charged. Try again in ${seconds(retryAfterMs ?? 1_000)}.`;
  switch (kind) {
    case 'restarting':
      return `${server} ended unexpectedly and is starting again. ${again}`;
    case 'closed':
      return `${server} ended the connection before it had answered. Nothing was charged. See whether it did its work before you try again.`;
    case 'unreachable':
      return retryAfterMs === undefined ? undefined : `${server} did not answer before and is given time. ${again}`;
    case 'quarantined':
      return (
        `${server} crashed three times within a minute and stays stopped until somebody presses Refresh in the ` +
        'marketplace. Its administrator can see why. Nothing was charged.'
      );
    case 'no_sandbox':
    case 'refused_address':
      return `${server} may not be used the way it is set up here. Its administrator can see why. Nothing was charged.`;
    default:
      return undefined;
  }
}

/** A tool result that a model can read: models never see JSON-RPC errors (billing.md). */
export function failureResult(code: CallFailureCode, serverName: string, cause?: UpstreamError): CallToolResult {
  const text = failureText(code, serverName, cause);
  return { content: [{ type: 'text', text }], isError: true, _meta: failureData(code, cause) };
}

/** What happened and what to do, in words. `cause`: what the code was made of, where there is such. */
export function failureText(code: CallFailureCode, serverName: string, cause?: UpstreamError): string {
  const ofCause = cause && failureCode(cause) === code ? textOfCause(cause, serverName) : undefined;
  return ofCause ?? texts[code](serverName);
}

/** The same for programs: the code, and after how many seconds it may go better, where that is known. */
export function failureData(
  code: CallFailureCode,
  cause?: UpstreamError,
): { code: CallFailureCode; retryAfterSeconds?: number } {
  if (cause?.retryAfterMs === undefined || failureCode(cause) !== code) return { code };
  return { code, retryAfterSeconds: wholeSeconds(cause.retryAfterMs) };
}

/** Too many calls in the last minute: with the time after which one more is let through. */
export function rateLimited(serverName: string, retryAfterSeconds: number): CallToolResult {
  const { _meta: meta } = failureResult('rate_limited', serverName);
  return {
    content: [{ type: 'text', text: rateLimitText(retryAfterSeconds) }],
    isError: true,
    _meta: { ...meta, retryAfterSeconds },
  };
}

export function rateLimitText(retryAfterSeconds: number): string {
  return `Too many calls in the last minute. Try again in ${seconds(retryAfterSeconds * 1000)}. Nothing was charged.`;
}

/** Never 0: a client that comes back at once has not waited. */
export function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function seconds(ms: number): string {
  const count = wholeSeconds(ms);
  return `${count} ${count === 1 ? 'second' : 'seconds'}`;
}
