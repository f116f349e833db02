import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { SoukError } from '#platform/errors.ts';
import { isShown } from '../../entitlement/owned.ts';
import type { ShopParts } from '../shop-parts.ts';
import { paymentOf } from './find-own.ts';

/** An unpaid invoice: its page at the payment provider, and the amount due in minor units. */
type OpenPayment = { paymentUrl: string; amountDue: number; currency: string };

/**
 * Finds what a user has to pay for one of their plans or rentals whose last payment failed, or whose upgrade waits for its
 * payment.
 * @param id of the subscription or rental
 * @throws SoukError not_found where it is not theirs or nothing is unpaid; payments_unavailable
 */
export async function findOpenPayment(
  { access, db, provider, locks, clock }: Pick<ShopParts, 'access' | 'db' | 'provider' | 'locks' | 'clock'>,
  userId: string,
  id: string,
): Promise<OpenPayment> {
  const { plans, servers } = await access.read(userId);
  const own = [...plans, ...servers].find((one) => one.id === id);
  const nowMs = clock.now();
  if (!own || own.source !== 'payment' || !isShown(own, nowMs)) {
    throw new SoukError('not_found', { message: 'You have no such subscription' });
  }
  const subscription = await paymentOf(db.query, 'planId' in own ? 'subscriptions' : 'access_grants', id);
  const invoice = await locks.run(userId, () => findOpen(provider, subscription, own.pastDue));
  if (!invoice?.hosted_invoice_url) throw new SoukError('not_found', { message: 'There is nothing to pay' });
  return {
    paymentUrl: invoice.hosted_invoice_url,
    amountDue: invoice.amount_remaining,
    currency: invoice.currency.toUpperCase(),
  };
}

/**
 * Finds the invoice whose payment restores a subscription: the newest. A subscription that the provider gave up has uncollected
 * drafts for the periods since; the last of them is finalized, so that it can be paid. A written-off invoice can be paid too.
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
  // the draft of a renewal that will be charged within the hour does not count
  if (newest.auto_advance) return data.find(({ status }) => status === 'open');
  return provider.call((stripe) => stripe.invoices.finalizeInvoice(newest.id ?? '', { auto_advance: false }));
}
