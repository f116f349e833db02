import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { readSubscription, type ProviderSubscription } from './read-subscription.ts';

/** More invoices than a subscription generates between two readings. */
const newest = 12;
/** Readings with a change in between after which a job retries later. */
const maxReadings = 3;

/** A subscription and its newest invoices, the newest first, at one moment. */
export type Moment = { read: ProviderSubscription; invoices: Stripe.Invoice[] };

/**
 * Reads a subscription and its invoices, which takes two requests: both are repeated if something happened in between.
 * @returns missing: the provider has no such subscription; changing: it changed during each reading; undefined: the product is
 *   not ours
 * @throws SoukError payments_unavailable
 */
export async function readMoment(
  provider: PaymentProvider,
  id: string,
): Promise<Moment | 'missing' | 'changing' | undefined> {
  for (let reading = 1; reading <= maxReadings; reading += 1) {
    const read = await readSubscription(provider, id);
    if (read === 'missing' || read === undefined) return read;
    const { data } = await provider.call((stripe) => stripe.invoices.list({ subscription: id, limit: newest }));
    if (isOneMoment(read, data)) return { read, invoices: data };
  }
  return 'changing';
}

/** Whether the newest invoice that the subscription names is the newest of the list, in the same state. */
function isOneMoment({ latestInvoice: named }: ProviderSubscription, listed: readonly Stripe.Invoice[]): boolean {
  const index = listed.findIndex(({ id }) => id === named?.id);
  const newer = index === -1 ? listed : listed.slice(0, index);
  // invoices that were made by hand are not the subscription's
  if (newer.some(({ billing_reason: reason }) => reason?.startsWith('subscription') ?? false)) return false;
  return named === undefined || listed[index]?.status === named.status;
}
