import { asRecord } from '#platform/json.ts';

/** Whether a message ends a running request: the answer to a question, or a cancellation. */
export function endsRequest(message: unknown): boolean {
  const { method, id, result, error } = asRecord(message) ?? {};
  if (method !== undefined) return method === 'notifications/cancelled';
  return id !== undefined && (result !== undefined || error !== undefined);
}

/**
 * Whether a body starts nothing new, so that it is accepted while the broker stops: answers, cancellations, and the next
 * round of a call that asked for input (2026-07-28), which has a requestState.
 */
export function continuesCalls(body: unknown): boolean {
  if (Array.isArray(body)) return body.length > 0 && body.every(endsRequest);
  return endsRequest(body) || typeof asRecord(asRecord(body)?.['params'])?.['requestState'] === 'string';
}
