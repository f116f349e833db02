import { SoukError } from '#platform/errors.ts';

/**
 * How long the provider may take for one answer while a person waits, in ms. There is no second attempt behind the scenes: the
 * person is told soon, and their retry has the same key.
 */
export const patience = { timeout: 8_000, maxNetworkRetries: 0 };

/** For all answers of the provider that a person waits for at once. */
const allInAllMs = 12_000;

/** For a change that may still be made after its person was told: it may have cost something. */
const mayStillHappen =
  'The payment provider is slow right now, and your change may still go through. Reload the page in a minute before you try again.';

/**
 * Ends a wait for the provider. The work goes on: what it still brings, the person's next request finds.
 * @param options.changes what the person asked for changes what they have, or charges them
 * @throws SoukError payments_unavailable after 12 s; the error of the work
 */
export async function withPatience<T>(work: Promise<T>, { changes = false } = {}): Promise<T> {
  const over = Promise.withResolvers<never>();
  const late = new SoukError('payments_unavailable', changes ? { message: mayStillHappen } : {});
  const timer = setTimeout(() => over.reject(late), allInAllMs);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
