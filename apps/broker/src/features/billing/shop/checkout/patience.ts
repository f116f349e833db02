import { SoukError } from '#platform/errors.ts';

/**
 * Limit of one request to the provider while a user waits, in ms. There is no hidden retry: the user gets an answer soon, and a
 * retry of theirs has the same idempotency key.
 */
export const patience = { timeout: 8_000, maxNetworkRetries: 0 };

/** Limit of all requests to the provider that one request of a user waits for. */
const totalMs = 12_000;

/** Answer to a change that may still happen, and may charge the user. */
const mayStillHappen =
  'The payment provider is slow right now, and your change may still go through. Reload the page in a minute before you try again.';

/**
 * Limits a wait for the provider. The work continues: the user's next request finds what it did.
 * @param options.changes the request changes what the user has, or charges them
 * @throws SoukError payments_unavailable after 12 s; the error of the work
 */
export async function withPatience<T>(work: Promise<T>, { changes = false } = {}): Promise<T> {
  const over = Promise.withResolvers<never>();
  const late = new SoukError('payments_unavailable', changes ? { message: mayStillHappen } : {});
  const timer = setTimeout(() => over.reject(late), totalMs);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
