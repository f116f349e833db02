import type { ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import type { Caller } from '#platform/http/caller.ts';
import { wholeSeconds } from '../call/call-failure.ts';
import { endsRequest } from './under-way.ts';
import { sendJsonRpcError } from '../wire/json-rpc-error.ts';
import type { RateLimit } from '#platform/rate-limit.ts';

/** Tool calls have their own rate (call/call-rate.ts). Messages that end a running request are not counted. */
function isCounted(message: unknown): boolean {
  return !endsRequest(message) && asRecord(message)?.['method'] !== 'tools/call';
}

/**
 * Counts the requests of a token other than tool calls: each message of a batch, or the request itself.
 * @returns how many seconds the client must wait; 0 when the request is within the rate
 */
export function secondsToWait(limit: RateLimit, caller: Caller, body: unknown): number {
  const count = (Array.isArray(body) && body.length > 0 ? body : [body]).filter(isCounted).length;
  if (count === 0 || limit.take(caller.tokenId, count)) return 0;
  return wholeSeconds(limit.waitMs(caller.tokenId, count));
}

/** Answers 429 with Retry-After, and a JSON-RPC error with the same number of seconds. */
export function sendTooMany(response: ServerResponse, retryAfterSeconds: number, body: unknown): void {
  response.setHeader('retry-after', String(retryAfterSeconds));
  const unit = retryAfterSeconds === 1 ? 'second' : 'seconds';
  const message = `Too many requests in the last minute. Try again in ${retryAfterSeconds} ${unit}.`;
  sendJsonRpcError(response, 429, -32603, message, body, { code: 'rate_limited', retryAfterSeconds });
}
