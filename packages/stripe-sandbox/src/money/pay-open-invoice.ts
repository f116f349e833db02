import type { PayerCard } from '../objects/types.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import type { Row, Work } from '../work.ts';
import { addPaymentMethod, type ChargeResult } from './charge-card.ts';
import { payInvoice } from './pay-invoice.ts';
import { applyPendingUpdate, isAwaited } from './pending-update.ts';
import { subscriptionOf } from './renew.ts';
import { setStatus } from './subscription.ts';

/** A person pays an open invoice on its page. Their subscription goes on, and is charged to this card from now on. */
export async function payOpenInvoice(work: Work, invoice: Row<'invoice'>, card: PayerCard): Promise<ChargeResult> {
  await enterTimeOf(work, invoice.body.customer);
  const method = addPaymentMethod(work, card, invoice.body.customer);
  const result = await payInvoice(work, invoice, method, 'authenticated');
  const subscription = await subscriptionOf(work, invoice);
  if (result !== 'paid' || !subscription || subscription.body.status === 'canceled') return result;
  subscription.body.default_payment_method = method.id;
  work.save(subscription);
  if (isAwaited(subscription, invoice)) applyPendingUpdate(work, subscription);
  setStatus(work, subscription, 'active');
  return result;
}
