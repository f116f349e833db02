import type { Row, Work } from '../work.ts';
import { emit } from '../webhooks/emit-event.ts';
import { decideDebit } from './charge-card.ts';
import { endCheckoutDebit } from './checkout/pay-checkout.ts';
import { planRetry, recordPayment } from './invoices/pay-invoice.ts';
import { afterRefusal } from './subscriptions/renew.ts';
import { setStatus, subscriptionOf } from './subscriptions/subscription.ts';

/** Applies the bank's decision about a debit, days later, to its invoice, subscription and session. */
export async function endDebit(work: Work, intent: Row<'payment_intent'>): Promise<void> {
  const isPaid = await decideDebit(work, intent);
  const filter = { body: { payment: { payment_intent: intent.id }, status: 'open' }, limit: 1 };
  const [payment] = await work.find('invoice_payment', filter);
  const invoice = payment && (await work.need('invoice', payment.body.invoice));
  const subscription = invoice && (await subscriptionOf(work, invoice));
  if (invoice && isPaid) {
    recordPayment(work, invoice, payment);
    if (subscription) setStatus(work, subscription, 'active');
  } else if (invoice) {
    invoice.body.attempt_count += 1;
    planRetry(work, invoice);
    emit(work, 'invoice.payment_failed', invoice.body);
    if (subscription) await afterRefusal(work, subscription, invoice);
  }
  await endCheckoutDebit(work, intent, isPaid);
}
