import { readAccount } from '../objects/account.ts';
import type { PayerCard } from '../objects/types.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import type { Row, Work } from '../work.ts';
import type { ChargeResult } from './charge-card.ts';
import { addPaymentMethod, attachMethod } from './payment-method.ts';
import { payInvoice } from './pay-invoice.ts';
import { applyPendingUpdate, isAwaited } from './pending-update.ts';
import { setStatus, subscriptionOf } from './subscription.ts';

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
  if (isAwaited(subscription, invoice)) applyPendingUpdate(work, subscription);
  // an older one that is paid late does not bring it back
  if (subscription.body.latest_invoice === invoice.id) setStatus(work, subscription, 'active');
  return result;
}
