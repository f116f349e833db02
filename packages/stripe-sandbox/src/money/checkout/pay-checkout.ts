import { emit } from '../../webhooks/emit-event.ts';
import { readAccount } from '../../objects/account.ts';
import { addCustomer } from '../../objects/customer.ts';
import type { LineItem, PayerCard } from '../../objects/types.ts';
import { clockOf, enterTimeOf } from '../../time/time-of-customer.ts';
import type { Row, Work } from '../../work.ts';
import { addPaymentIntent, chargeCard, refuseIntent, type ChargeResult } from '../charge-card.ts';
import { dueOf } from '../balance.ts';
import { addPaymentMethod } from '../payment-method.ts';
import { addDiscount, updateDiscount } from './discount.ts';
import { addInvoice, finalizeInvoice, invoiceLine } from '../invoices/invoice.ts';
import { addInvoicePayment, payInvoice, recordPayment } from '../invoices/pay-invoice.ts';
import { periodLines } from '../subscriptions/renew.ts';
import { addressOf, keepAddress, pricingOfSession } from './session-payer.ts';
import { addSubscription } from '../subscriptions/subscription.ts';
import type { Decline } from '../test-cards.ts';

/** Declined cards allowed per session. */
export const maxRefusals = 20;

/** Pays an open session with a card entered on its page. */
export async function payCheckout(
  work: Work,
  session: Row<'checkout.session'>,
  card: PayerCard,
): Promise<ChargeResult> {
  await enterTimeOf(work, session.body.customer);
  const method = addPaymentMethod(work, card, session.body.customer);
  return charge(work, session, method, 'here');
}

/** Whether a session is a one-time payment of 0, which needs no card. */
export const isFree = ({ mode, amount_total: total }: Row<'checkout.session'>['body']): boolean =>
  mode === 'payment' && total === 0;

export async function completeFree(work: Work, session: Row<'checkout.session'>): Promise<void> {
  if (!isFree(session.body)) throw new Error('this session is not free');
  await enterTimeOf(work, session.body.customer);
  await complete(work, session, undefined, undefined, true);
  work.save(session);
}

const notAuthenticated: Decline = {
  code: 'payment_intent_authentication_failure',
  declineCode: 'authentication_required',
  message: 'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
};

/** Continues after the bank's 3-D Secure page. */
export async function authenticateCheckout(
  work: Work,
  session: Row<'checkout.session'>,
  succeeded: boolean,
): Promise<ChargeResult> {
  await enterTimeOf(work, session.body.customer);
  const { waiting, intent } = session.memory;
  if (waiting === null || intent === null) throw new Error('this session has no card that waits for 3-D Secure');
  session.memory.waiting = null;
  work.save(session);
  if (succeeded) return charge(work, session, await work.need('payment_method', waiting), 'authenticated');
  session.memory.refusals += 1;
  refuseIntent(work, await work.need('payment_intent', intent), notAuthenticated);
  return notAuthenticated;
}

async function charge(
  work: Work,
  session: Row<'checkout.session'>,
  method: Row<'payment_method'>,
  owner: 'here' | 'authenticated',
): Promise<ChargeResult> {
  const amount = await amountOf(work, session);
  const intent = amount > 0 ? await intentOf(work, session, amount) : undefined;
  const result = intent ? chargeCard(work, intent, method, owner) : 'paid';
  if (result === 'paid' || result === 'processing') await complete(work, session, method, intent, result === 'paid');
  else if (result === 'authenticates') session.memory.waiting = method.id;
  else session.memory.refusals += 1;
  work.save(session);
  return result;
}

/** Returns the amount to charge now. The customer's balance reduces a first invoice, but not a one-time payment. */
async function amountOf(work: Work, { body }: Row<'checkout.session'>): Promise<number> {
  if (body.mode === 'payment' || body.customer === null) return body.amount_total;
  const { balance } = (await work.need('customer', body.customer)).body;
  return dueOf(body.amount_total, balance, body.currency).due;
}

/** Returns the payment intent shared by all attempts of a session. */
async function intentOf(work: Work, session: Row<'checkout.session'>, amount: number): Promise<Row<'payment_intent'>> {
  const { body, memory } = session;
  if (memory.intent !== null) {
    const known = await work.need('payment_intent', memory.intent);
    known.body.amount = amount;
    work.save(known);
    return known;
  }
  const intent = addPaymentIntent(work, {
    amount,
    currency: body.currency,
    customer: body.customer,
    metadata: memory.intentMetadata,
    description: body.mode === 'subscription' ? 'Subscription creation' : null,
    timeline: await clockOf(work, body.customer),
    session: session.id,
    methods: body.payment_method_types,
  });
  memory.intent = intent.id;
  if (body.mode === 'payment') body.payment_intent = intent.id;
  return intent;
}

async function complete(
  work: Work,
  session: Row<'checkout.session'>,
  method: Row<'payment_method'> | undefined,
  intent: Row<'payment_intent'> | undefined,
  isPaid: boolean,
): Promise<void> {
  const { body, memory } = session;
  const { name = null, email = null } = method?.body.billing_details ?? {};
  const customer = await customerOf(work, session, method, intent);
  if (customer) keepAddress(work, session, customer, name);
  if (memory.promotionCode !== undefined && !memory.discount)
    memory.discount = (
      await addDiscount(work, {
        promotionCode: memory.promotionCode,
        customer: body.customer,
        session: session.id,
        subscription: null,
      })
    ).id;
  if (customer && method && body.mode === 'subscription')
    await subscribe(work, session, customer, method, intent, isPaid);
  else if (isPaid && customer && intent && body.invoice_creation?.enabled)
    await invoicePayment(work, session, customer, intent);
  body.customer_details = {
    address: addressOf(session),
    business_name: null,
    email: customer?.body.email ?? email,
    individual_name: null,
    name,
    phone: null,
    tax_exempt: 'none',
    tax_ids: memory.taxId === undefined ? [] : [{ type: 'eu_vat', value: memory.taxId }],
  };
  body.payment_status = !intent ? 'no_payment_required' : isPaid ? 'paid' : 'unpaid';
  body.status = 'complete';
  body.url = null;
  session.dueMs = null;
  emit(work, 'checkout.session.completed', body);
}

/** Returns the session's customer, creating one if needed; a one-time payment without an invoice needs none. */
async function customerOf(
  work: Work,
  session: Row<'checkout.session'>,
  method: Row<'payment_method'> | undefined,
  intent: Row<'payment_intent'> | undefined,
): Promise<Row<'customer'> | undefined> {
  const { body } = session;
  if (body.customer !== null) return work.need('customer', body.customer);
  if (body.mode === 'payment' && !body.invoice_creation?.enabled) return undefined;
  const { name = null, email = null } = method?.body.billing_details ?? {};
  const customer = addCustomer(work, { email: body.customer_email ?? email, name, metadata: {} });
  body.customer = customer.id;
  if (method) {
    method.body.customer = customer.id;
    work.save(method);
  }
  if (intent) {
    intent.body.customer = customer.id;
    work.save(intent);
  }
  return customer;
}

async function subscribe(
  work: Work,
  session: Row<'checkout.session'>,
  customer: Row<'customer'>,
  method: Row<'payment_method'>,
  intent: Row<'payment_intent'> | undefined,
  isPaid: boolean,
): Promise<void> {
  const { items, subscriptionMetadata: metadata } = session.memory;
  const { billingMode } = (await readAccount(work)).memory;
  const asksTax = session.body.automatic_tax.enabled;
  const subscription = addSubscription(work, { customer, method: method.id, items, metadata, billingMode, asksTax });
  const pricing = await pricingOfSession(work, session);
  subscription.body.discounts = pricing.discount ? [pricing.discount.id] : [];
  emit(work, 'customer.subscription.created', subscription.body);
  const invoice = await addInvoice(work, {
    customer,
    currency: session.body.currency,
    reason: 'subscription_create',
    lines: await periodLines(work, subscription.body),
    period: { start: work.time, end: work.time },
    subscription: subscription.body,
    metadata: {},
    usesBalance: true,
    pricing,
  });
  updateDiscount(work, subscription, pricing);
  await finalizeInvoice(work, invoice, { usesBalance: true });
  subscription.body.latest_invoice = invoice.id;
  work.save(subscription);
  session.body.subscription = subscription.id;
  session.body.invoice = invoice.id;
  if (!isPaid && intent) addInvoicePayment(work, invoice, intent);
  else if (intent) recordPayment(work, invoice, addInvoicePayment(work, invoice, intent));
  else await payInvoice(work, invoice, method, 'here');
}

/** Records the bank's decision about the debit that completed a session. */
export async function endCheckoutDebit(work: Work, intent: Row<'payment_intent'>, isPaid: boolean): Promise<void> {
  const id = intent.memory.session;
  const session = id === undefined ? undefined : await work.need('checkout.session', id);
  if (!session || session.body.payment_status !== 'unpaid') return;
  const { body } = session;
  if (isPaid) {
    body.payment_status = 'paid';
    if (body.mode === 'payment' && body.customer !== null && body.invoice_creation?.enabled)
      await invoicePayment(work, session, await work.need('customer', body.customer), intent);
  }
  work.save(session);
  emit(work, isPaid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed', body);
}

/** Adds the paid invoice of a one-time payment. */
async function invoicePayment(
  work: Work,
  session: Row<'checkout.session'>,
  customer: Row<'customer'>,
  intent: Row<'payment_intent'>,
): Promise<void> {
  const line = ({ price, quantity, amount_subtotal: amount, description }: LineItem) =>
    invoiceLine(work, {
      price,
      quantity,
      amount,
      description: description ?? price.product,
      period: { start: work.time, end: work.time },
      subscription: null,
      proration: false,
    });
  const invoice = await addInvoice(work, {
    customer,
    currency: session.body.currency,
    reason: 'manual',
    lines: session.memory.items.map(line),
    period: { start: work.time, end: work.time },
    subscription: null,
    metadata: session.memory.invoiceMetadata,
    usesBalance: false,
    pricing: await pricingOfSession(work, session),
  });
  await finalizeInvoice(work, invoice, { usesBalance: false });
  session.body.invoice = invoice.id;
  recordPayment(work, invoice, addInvoicePayment(work, invoice, intent));
}
