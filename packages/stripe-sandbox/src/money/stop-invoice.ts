import type { Row, Work } from '../work.ts';
import { emit } from '../webhooks/emit-event.ts';
import { subscriptionOf } from './renew.ts';
import { setStatus } from './subscription.ts';

const hourSeconds = 3600;

/** Whether Stripe finalizes an invoice and charges it by itself. One that is not can still be paid on its page. */
export function setAutoAdvance(work: Work, invoice: Row<'invoice'>, isOn: boolean): void {
  const { body } = invoice;
  body.auto_advance = isOn;
  body.next_payment_attempt = isOn && body.status === 'open' ? work.time + hourSeconds : null;
  if (body.status === 'draft') body.automatically_finalizes_at = isOn ? work.time + hourSeconds : null;
  const next = body.next_payment_attempt ?? body.automatically_finalizes_at;
  invoice.dueMs = next === null ? null : next * 1000;
  work.save(invoice);
  emit(work, 'invoice.updated', body);
}

/** Nobody has to pay it any more. A subscription that waited for it alone goes on. */
export async function voidInvoice(work: Work, invoice: Row<'invoice'>): Promise<void> {
  const { body } = invoice;
  body.status = 'void';
  body.auto_advance = false;
  body.next_payment_attempt = null;
  body.status_transitions.voided_at = work.time;
  invoice.dueMs = null;
  work.save(invoice);
  emit(work, 'invoice.voided', body);
  const subscription = await subscriptionOf(work, invoice);
  if (subscription?.body.latest_invoice === invoice.id && subscription.body.status === 'past_due')
    setStatus(work, subscription, 'active');
}
