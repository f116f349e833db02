import { StripeError } from '../../api/stripe-error.ts';
import { readAccount } from '../../objects/account.ts';
import type { PayerCard } from '../../objects/types.ts';
import { enterTimeOf } from '../../time/time-of-customer.ts';
import type { Row, Work } from '../../work.ts';
import type { ChargeResult } from '../charge-card.ts';
import { addPaymentMethod, attachMethod } from '../payment-method.ts';
import { payInvoice, payOutOfBand } from './pay-invoice.ts';
import { applyPendingUpdate, isAwaited } from '../subscriptions/pending-update.ts';
import { methodOf } from '../subscriptions/renew.ts';
import { setStatus, subscriptionOf } from '../subscriptions/subscription.ts';

/**
 * A person pays an open invoice on its page, and their subscription goes on. The card is kept for the next renewal only where
 * the account saves what pays on this page, or the subscription what paid it; otherwise the old one is charged again.
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
  goOn(work, subscription, invoice);
  return result;
}

/**
 * The owner of the account has an open invoice of a subscription charged, or says that it was paid elsewhere.
 * @throws StripeError where the bank refuses, or asks the owner of the card
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
    if (result !== 'paid') throw refusalOf(result);
  }
  if (subscription && subscription.body.status !== 'canceled') goOn(work, subscription, invoice);
}

/** An invoice of a subscription is paid: what waited for it happens. */
function goOn(work: Work, subscription: Row<'subscription'>, invoice: Row<'invoice'>): void {
  if (isAwaited(subscription, invoice)) applyPendingUpdate(work, subscription);
  // an older one that is paid late does not bring it back
  if (subscription.body.latest_invoice === invoice.id) setStatus(work, subscription, 'active');
}

const noMethod = () =>
  new StripeError(400, 'There is no `default_payment_method` set on this Customer or Invoice. Please set one.');

function refusalOf(result: Exclude<ChargeResult, 'paid' | 'processing'>): StripeError {
  const { message, ...codes } =
    result === 'authenticates'
      ? {
          message: 'This payment requires additional user action before it can be completed successfully.',
          code: 'invoice_payment_intent_requires_action',
        }
      : { message: result.message, code: result.code, decline_code: result.declineCode };
  return new StripeError(402, message, codes, 'card_error');
}
