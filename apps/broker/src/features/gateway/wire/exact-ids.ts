import { asRecord } from '#platform/json.ts';
import { isMarked } from '#platform/json/exact-numbers.ts';
import { messagesOf } from './messages-of.ts';

/**
 * Whether a message has an id, or refers to one, that is a whole number which a double cannot represent. Its answer or
 * progress would carry the nearest other number, and a cancellation would end another call.
 */
export function hasInexactId(body: unknown): boolean {
  return messagesOf(body).some((message) => idsOf(asRecord(message) ?? {}).some(isInexact));
}

export const inexactId =
  'Invalid Request: ids and progress tokens are whole numbers up to 2^53 - 1 (9007199254740991), or text';

function idsOf({ id, method, params }: Record<string, unknown>): unknown[] {
  const { requestId, progressToken, _meta: meta } = asRecord(params) ?? {};
  switch (method) {
    case 'notifications/cancelled':
      return [requestId];
    case 'notifications/progress':
      return [progressToken];
    default:
      return [id, asRecord(meta)?.['progressToken']];
  }
}

function isInexact(id: unknown): boolean {
  return isMarked(id) || (typeof id === 'number' && Number.isInteger(id) && !Number.isSafeInteger(id));
}
