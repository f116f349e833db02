import { SoukError } from '#platform/errors.ts';

/**
 * How long the provider may take for one answer while a person waits, in ms. There is no second attempt behind the scenes: the
 * person is told soon, and their retry has the same key.
 */
export const patience = { timeout: 8_000, maxNetworkRetries: 0 };

/** For all answers of the provider that a person waits for at once. */
const allInAllMs = 12_000;

/**
 * Ends a wait for the provider. The work goes on: what it still brings, the person's next request finds.
 * @throws SoukError payments_unavailable after 12 s; the error of the work
 */
export async function withPatience<T>(work: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(new SoukError('payments_unavailable')), allInAllMs);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
