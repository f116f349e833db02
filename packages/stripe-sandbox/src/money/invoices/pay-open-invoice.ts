import { StripeError } from '../../api/stripe-error.ts';
import { readAccount } from '../../objects/account.ts';
import type { PayerCard } from '../../objects/types.ts';
import { enterTimeOf } from '../../time/time-of-customer.ts';
import type { Row, Work } from '../../work.ts';
import type { ChargeResult } from '../charge-card.ts';
import { addPaymentMethod, attachMethod } from '../payment-method.ts';
import { payInvoice, payOutOfBand } from './pay-invoice.ts';
import { refusalOf } from './refusal-of.ts';
import { applyPendingUpdate, isAwaited } from '../subscriptions/pending-update.ts';
import { methodOf } from '../subscriptions/renew.ts';
import { setStatus, subscriptionOf } from '../subscriptions/subscription.ts';

/**
 * Pays an open invoice on its page, which continues the subscription. The card is stored for renewals only if the account or
 * the subscription is set to do so; otherwise the old one is charged again.
 */
export async function payOpenInvoice(work: Work, invoice: Row<'invoice'>, card: PayerCard): Promise<ChargeResult> {
  await enterTimeOf(work, invoice.body.customer);
  const method = addPaymentMethod(work, card, null);
  const result = await payInvoice(work, invoice, method, 'authenticated');
  const subscription = await subscriptionOf(work, invoice);
  if (result !== 'paid') return result;
  const { invoices } = (await readAccount(work)).body.settings;
  if (invoices?.hosted_payment_method_save === 'always') attachMethod(work, method, invoice.body.customer);
  if (!subscription || subscription.body.status === 'canceled') return result;
  if (subscription.body.payment_settings?.save_default_payment_method === 'on_subscription') {
    attachMethod(work, method, invoice.body.customer);
    subscription.body.default_payment_method = method.id;
    work.save(subscription);
  }
  continueSubscription(work, subscription, invoice);
  return result;
}

/**
 * Charges an open invoice on behalf of the account owner, or marks it paid elsewhere.
 * @throws StripeError if the card is declined or needs authentication
 */
export async function payForCustomer(
  work: Work,
  invoice: Row<'invoice'>,
  { method, isOutOfBand }: { method: Row<'payment_method'> | undefined; isOutOfBand: boolean },
): Promise<void> {
  const subscription = await subscriptionOf(work, invoice);
  if (isOutOfBand) payOutOfBand(work, invoice);
  else {
    const charged = method ?? (subscription && (await methodOf(work, subscription)));
    if (!charged) throw noMethod();
    const result = await payInvoice(work, invoice, charged, 'away');
    if (result === 'processing') return;
    if (result !== 'paid') throw refusalOf(result, 'invoice', 'This payment');
  }
  if (subscription && subscription.body.status !== 'canceled') continueSubscription(work, subscription, invoice);
}

/** Reactivates a subscription whose invoice is paid, and applies any change that awaited the payment. */
function continueSubscription(work: Work, subscription: Row<'subscription'>, invoice: Row<'invoice'>): void {
  if (isAwaited(subscription, invoice)) applyPendingUpdate(work, subscription);
  // an older invoice that is paid late does not reactivate the subscription
  if (subscription.body.latest_invoice === invoice.id) setStatus(work, subscription, 'active');
}

const noMethod = () =>
  new StripeError(400, 'There is no `default_payment_method` set on this Customer or Invoice. Please set one.');
