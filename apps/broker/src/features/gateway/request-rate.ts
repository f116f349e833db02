import type { ServerResponse } from 'node:http';
import type { Caller } from '#platform/http/caller.ts';
import { wholeSeconds } from './call-failure.ts';
import { sendJsonRpcError } from './json-rpc-error.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * Tool calls have a rate of their own, and say in a result when it is over: call-tool.ts. What ends something under way,
 * an answer to a question or a cancellation, is never too much.
 */
function isCounted(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return true;
  if (!('method' in message)) return !('id' in message && ('result' in message || 'error' in message));
  return message.method !== 'tools/call' && message.method !== 'notifications/cancelled';
}

/**
 * Counts what a token asks for besides tool calls: each message of a request, or the request where it has none.
 * @returns after how many seconds the client may come back; 0 when it may go on
 */
export function secondsToWait(limit: RateLimit, caller: Caller, body: unknown): number {
  const count = (Array.isArray(body) && body.length > 0 ? body : [body]).filter(isCounted).length;
  if (count === 0 || limit.take(caller.tokenId, count)) return 0;
  return wholeSeconds(limit.waitMs(caller.tokenId, count));
}

/** 429 for the transport, a JSON-RPC error for the client behind it: both say when to come back. */
export function sendTooMany(response: ServerResponse, retryAfterSeconds: number, body: unknown): void {
  response.setHeader('retry-after', String(retryAfterSeconds));
  const unit = retryAfterSeconds === 1 ? 'second' : 'seconds';
  const message = `Too many requests in the last minute. Try again in ${retryAfterSeconds} ${unit}.`;
  sendJsonRpcError(response, 429, -32603, message, body, { code: 'rate_limited', retryAfterSeconds });
}
