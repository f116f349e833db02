import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { AccessBook } from '../../entitlement/create-access.ts';
import { isShown } from '../../entitlement/owned.ts';
import type { PurchaseLocks } from '../changes/purchase-locks.ts';
import { paymentOf } from './find-own.ts';

/** An invoice that waits to be paid: its page at the payment provider, and what it comes to in minor units. */
export type OpenPayment = { paymentUrl: string; amountDue: number; currency: string };

/**
 * What a person has to pay for one of their plans or rentals whose last payment failed, or whose upgrade waits.
 * @param id of the subscription or rental
 * @throws SoukError not_found where it is not theirs or nothing is unpaid; payments_unavailable
 */
export type FindOpenPayment = (userId: string, id: string) => Promise<OpenPayment>;

export function createFindOpenPayment({
  access,
  query,
  provider,
  locks,
  clock,
}: {
  access: Pick<AccessBook, 'read'>;
  query: Query;
  provider: PaymentProvider;
  locks: PurchaseLocks;
  clock: Clock;
}): FindOpenPayment {
  return async (userId, id) => {
    const { plans, servers } = await access.read(userId);
    const own = [...plans, ...servers].find((one) => one.id === id);
    const nowMs = clock.now();
    if (!own || own.source !== 'payment' || !isShown(own, nowMs)) {
      throw new SoukError('not_found', { message: 'You have no such subscription' });
    }
    const subscription = await paymentOf(query, 'planId' in own ? 'subscriptions' : 'access_grants', id);
    const invoice = await locks.run(userId, () => findOpen(provider, subscription, own.pastDue));
    if (!invoice?.hosted_invoice_url) throw new SoukError('not_found', { message: 'There is nothing to pay' });
    return {
      paymentUrl: invoice.hosted_invoice_url,
      amountDue: invoice.amount_remaining,
      currency: invoice.currency.toUpperCase(),
    };
  };
}

/**
 * The invoice that brings a subscription back when it is paid: the newest. One that was given up has drafts for the periods
 * since, which are not collected; the last of them is made ready to be paid. One that was written off can be paid too.
 */
async function findOpen(
  provider: PaymentProvider,
  subscription: string,
  isPastDue: boolean,
): Promise<Stripe.Invoice | undefined> {
  const { data } = await provider.call((stripe) => stripe.invoices.list({ subscription, limit: 10 }));
  const payable = isPastDue ? ['open', 'draft', 'uncollectible'] : ['open'];
  const newest = data.find(({ status }) => payable.includes(status ?? ''));
  if (newest?.status !== 'draft') return newest;
  // the draft of a renewal that is to be charged within the hour is none of these
  if (newest.auto_advance) return data.find(({ status }) => status === 'open');
  return provider.call((stripe) => stripe.invoices.finalizeInvoice(newest.id ?? '', { auto_advance: false }));
}
