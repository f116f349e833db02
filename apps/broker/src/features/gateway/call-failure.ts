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

/** A tool result that a model can read: models never see JSON-RPC errors (billing.md). */
export function failureResult(code: CallFailureCode, serverName: string): CallToolResult {
  return { content: [{ type: 'text', text: texts[code](serverName) }], isError: true, _meta: { code } };
}

export function failureText(code: CallFailureCode, serverName: string): string {
  return texts[code](serverName);
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
  const unit = retryAfterSeconds === 1 ? 'second' : 'seconds';
  return `Too many calls in the last minute. Try again in ${retryAfterSeconds} ${unit}. Nothing was charged.`;
}
