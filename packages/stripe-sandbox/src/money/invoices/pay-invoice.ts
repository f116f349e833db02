import { emit } from '../../webhooks/emit-event.ts';
import type { Row, Work } from '../../work.ts';
import { addPaymentIntent, chargeCard, refuseIntent, type ChargeResult } from '../charge-card.ts';
import type { Decline } from '../test-cards.ts';

/** Charges a card for an open invoice. An invoice with nothing due is marked paid. */
export async function payInvoice(
  work: Work,
  invoice: Row<'invoice'>,
  method: Row<'payment_method'>,
  owner: 'here' | 'authenticated' | 'away',
  /** Allowed payment method types; undefined: all. */
  types?: readonly string[],
): Promise<ChargeResult> {
  if (invoice.body.amount_due === 0) {
    markPaid(work, invoice);
    return 'paid';
  }
  const { payment, intent } = await paymentOf(work, invoice);
  const isAllowed = types?.includes(method.body.type) ?? true;
  const result = isAllowed ? chargeCard(work, intent, method, owner) : typeNotAllowed;
  if (result === typeNotAllowed) refuseIntent(work, intent, typeNotAllowed);
  if (result === 'authenticates' && owner !== 'away') return result;
  invoice.body.attempted = true;
  if (result === 'processing') {
    invoice.body.next_payment_attempt = null;
    invoice.dueMs = null;
    work.save(invoice);
    return result;
  }
  // attempts on the page neither count nor change the time of the next retry
  if (owner === 'away') invoice.body.attempt_count += 1;
  if (result === 'paid') recordPayment(work, invoice, payment);
  else {
    if (owner === 'away') planRetry(work, invoice);
    work.save(invoice);
    if (result === 'authenticates') emit(work, 'invoice.payment_action_required', invoice.body);
    emit(work, 'invoice.payment_failed', invoice.body);
  }
  return result;
}

const typeNotAllowed: Decline = {
  code: 'payment_method_not_available',
  declineCode: 'payment_method_not_available',
  message: 'The payment method of the subscription is not among its payment method types.',
};

const daySeconds = 86_400;
/** Days between a decline and the next attempt. After the last one, the subscription ends. */
const retryDays = [3, 5, 7];

export function planRetry(work: Work, invoice: Row<'invoice'>): void {
  const days = retryDays[invoice.body.attempt_count - 1];
  const next = days === undefined ? null : work.time + days * daySeconds;
  invoice.body.next_payment_attempt = next;
  invoice.dueMs = next === null ? null : next * 1000;
  work.save(invoice);
}

/** Marks an invoice as paid by a payment intent that has succeeded. */
export function recordPayment(work: Work, invoice: Row<'invoice'>, payment: Row<'invoice_payment'>): void {
  payment.body.status = 'paid';
  payment.body.amount_paid = payment.body.amount_requested;
  payment.body.status_transitions.paid_at = work.time;
  work.save(payment);
  invoice.body.amount_paid = invoice.body.amount_due;
  markPaid(work, invoice);
  emit(work, 'invoice_payment.paid', payment.body);
}

/** Marks an invoice paid outside of Stripe, without a payment here. */
export function payOutOfBand(work: Work, invoice: Row<'invoice'>): void {
  invoice.body.amount_paid = invoice.body.amount_due;
  markPaid(work, invoice);
}

function markPaid(work: Work, invoice: Row<'invoice'>): void {
  const { body } = invoice;
  body.amount_remaining = 0;
  body.attempted = true;
  body.next_payment_attempt = null;
  body.status = 'paid';
  body.status_transitions.paid_at = work.time;
  invoice.dueMs = null;
  work.save(invoice);
  emit(work, 'invoice.paid', body);
  emit(work, 'invoice.payment_succeeded', body);
}

/** Returns the invoice's payment; all attempts share its payment intent. */
async function paymentOf(work: Work, invoice: Row<'invoice'>) {
  const [open] = await work.find('invoice_payment', { body: { invoice: invoice.id, status: 'open' }, limit: 1 });
  const intentId = open?.body.payment.payment_intent;
  if (open && typeof intentId === 'string') {
    return { payment: open, intent: await work.need('payment_intent', intentId) };
  }
  const intent = addPaymentIntent(work, {
    amount: invoice.body.amount_due,
    currency: invoice.body.currency,
    customer: invoice.body.customer,
    metadata: {},
    description:
      invoice.body.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
    timeline: invoice.timeline,
  });
  return { payment: addInvoicePayment(work, invoice, intent), intent };
}

export function addInvoicePayment(
  work: Work,
  invoice: Row<'invoice'>,
  intent: Row<'payment_intent'>,
): Row<'invoice_payment'> {
  return work.add(
    'invoice_payment',
    {
      id: work.newId('invoice_payment'),
      object: 'invoice_payment',
      amount_paid: null,
      amount_requested: intent.body.amount,
      created: work.time,
      currency: intent.body.currency,
      invoice: invoice.id,
      is_default: true,
      livemode: false,
      payment: { type: 'payment_intent', payment_intent: intent.id },
      status: 'open',
      status_transitions: { canceled_at: null, paid_at: null },
    },
    {},
  );
}
