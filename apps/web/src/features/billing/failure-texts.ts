import { ApiError } from '@souk/contract/client.ts';

/**
 * The message of a failed call: the broker's, or that of a failed network. Undefined where there is none to show, and the
 * specification's text of the call stands in for it.
 */
export function messageOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.code === 'network' ? error.message : error.serverMessage;
}

const movedOn: ReadonlySet<string> = new Set(['price_changed', 'service_down', 'overlap_changed', 'change_under_way']);

/** What is asked for is no longer as the page showed it: its price, whether it is up, or what else is paid for it. */
export const hasMovedOn = (error: unknown): boolean => error instanceof ApiError && movedOn.has(error.code);

/** The card did not pay: another one may. */
export const isPaymentFailure = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'payment_failed';

/** The text says what to do, which is not to try the same again. */
const final: ReadonlySet<string> = new Set([...movedOn, 'payment_refused', 'payment_under_way', 'has_access']);

/** '{message}. Please try again.' of a checkout that failed to start (spec part 1, section 8). */
export function checkoutFailure(error: unknown): string {
  const message = messageOf(error) ?? 'Failed to start checkout process';
  // a text that says what to do keeps it alone
  if (/please (try|log in) again\b/i.test(message) || (error instanceof ApiError && final.has(error.code)))
    return message;
  return `${message.replace(/\.$/, '')}. Please try again.`;
}

/** Of a purchase: the error, or the specification's text (part 1, section 8). */
export function purchaseFailure(error: unknown): string {
  return messageOf(error) ?? 'Purchase failed. Please try again.';
}
