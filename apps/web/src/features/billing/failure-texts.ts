import { ApiError } from '@souk/contract/client.ts';

/**
 * Returns the message of a failed call: the broker's, or that of a network error. Undefined if the specification's text
 * for the call is shown instead.
 */
export function messageOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.code === 'network' ? error.message : error.serverMessage;
}

const stale: ReadonlySet<string> = new Set(['price_changed', 'service_down', 'overlap_changed', 'change_under_way']);

/** Returns whether the page showed stale data: a price, the status of a service, or an overlapping purchase. */
export const isStale = (error: unknown): boolean => error instanceof ApiError && stale.has(error.code);

/** Returns whether the card was declined, so that another one may work. */
export const isPaymentFailure = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'payment_failed';

/** Errors that a retry does not solve, and whose text says what to do. */
const final: ReadonlySet<string> = new Set([...stale, 'payment_refused', 'payment_under_way', 'has_access']);

/** '{message}. Please try again.' for a checkout that failed to start (spec part 1, section 8). */
export function checkoutFailure(error: unknown): string {
  const message = messageOf(error) ?? 'Failed to start checkout process';
  // a text that says what to do stays as it is
  if (/please (try|log in) again\b/i.test(message) || (error instanceof ApiError && final.has(error.code)))
    return message;
  return `${message.replace(/\.$/, '')}. Please try again.`;
}

/** Returns the error of a purchase, or the specification's text (part 1, section 8). */
export function purchaseFailure(error: unknown): string {
  return messageOf(error) ?? 'Purchase failed. Please try again.';
}
