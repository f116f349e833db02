import { asRecord } from '#platform/json.ts';
import { isMarked } from '#platform/json/exact-numbers.ts';

/**
 * Whether a message names itself or another by a whole number that no double holds. Its answer, or the progress of its call,
 * would carry the nearest other number, and a cancellation would end another call.
 */
export function hasInexactId(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => idsOf(asRecord(message) ?? {}).some(isInexact));
}

export const inexactId =
  'Invalid Request: ids and progress tokens are whole numbers up to 2^53 - 1 (9007199254740991), or text';

function idsOf({ id, method, params }: Record<string, unknown>): unknown[] {
  const { requestId, progressToken, _meta: meta } = asRecord(params) ?? {};
  const wished = asRecord(meta)?.['progressToken'];
  switch (method) {
    case 'notifications/cancelled':
      return [requestId];
    case 'notifications/progress':
      return [progressToken];
    default:
      return [id, wished];
  }
}

function isInexact(id: unknown): boolean {
  return isMarked(id) || (typeof id === 'number' && Number.isInteger(id) && !Number.isSafeInteger(id));
}
