import { emit } from '../../webhooks/emit-event.ts';
import type { Row, Work } from '../../work.ts';
import { addPaymentIntent, chargeCard, refuseIntent, type ChargeResult } from '../charge-card.ts';
import type { Decline } from '../test-cards.ts';

/** Charges a card for an open invoice. One that asks for nothing is paid without a card. */
export async function payInvoice(
  work: Work,
  invoice: Row<'invoice'>,
  method: Row<'payment_method'>,
  owner: 'here' | 'authenticated' | 'away',
  /** What it may be paid with; undefined: anything. */
  types?: readonly string[],
): Promise<ChargeResult> {
  if (invoice.body.amount_due === 0) {
    markPaid(work, invoice);
    return 'paid';
  }
  const { payment, intent } = await paymentOf(work, invoice);
  const isTaken = types?.includes(method.body.type) ?? true;
  const result = isTaken ? chargeCard(work, intent, method, owner) : notTaken;
  if (result === notTaken) refuseIntent(work, intent, notTaken);
  if (result === 'authenticates' && owner !== 'away') return result;
  invoice.body.attempted = true;
  if (result === 'processing') {
    invoice.body.next_payment_attempt = null;
    invoice.dueMs = null;
    work.save(invoice);
    return result;
  }
  // what a person tries on the page does not count, and changes no plan
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

/** A method that is not among those of the subscription is not charged. */
const notTaken: Decline = {
  code: 'payment_method_not_available',
  declineCode: 'payment_method_not_available',
  message: 'The payment method of the subscription is not among its payment method types.',
};

const daySeconds = 86_400;
/** How long after each refusal the card is charged again. After the last one, the subscription ends. */
const retryDays = [3, 5, 7];

export function planRetry(work: Work, invoice: Row<'invoice'>): void {
  const days = retryDays[invoice.body.attempt_count - 1];
  const next = days === undefined ? null : work.time + days * daySeconds;
  invoice.body.next_payment_attempt = next;
  invoice.dueMs = next === null ? null : next * 1000;
  work.save(invoice);
}

/** An invoice whose payment intent has succeeded already. */
export function recordPayment(work: Work, invoice: Row<'invoice'>, payment: Row<'invoice_payment'>): void {
  payment.body.status = 'paid';
  payment.body.amount_paid = payment.body.amount_requested;
  payment.body.status_transitions.paid_at = work.time;
  work.save(payment);
  invoice.body.amount_paid = invoice.body.amount_due;
  markPaid(work, invoice);
  emit(work, 'invoice_payment.paid', payment.body);
}

/** It was paid outside of Stripe: there is no payment of it here. */
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

/** The invoice's payment, which is tried again with the same payment intent. */
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
