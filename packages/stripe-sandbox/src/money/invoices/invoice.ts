import { emit } from '../../webhooks/emit-event.ts';
import { dueOf, setBalance } from '../balance.ts';
import type { Invoice, InvoiceLine, Metadata, Price, Subscription } from '../../objects/types.ts';
import { clockOf } from '../../time/time-of-customer.ts';
import type { Row, Work } from '../../work.ts';
import type { Pricing } from '../checkout/discount.ts';
import { calculateInvoice } from './calculate-invoice.ts';

export type InvoiceReason = 'manual' | 'subscription_create' | 'subscription_cycle' | 'subscription_update';

/** Creates a line: a price for a period or a part of it. */
export function invoiceLine(
  work: Work,
  given: {
    price: Price;
    quantity: number;
    amount: number;
    description: string;
    period: { start: number; end: number };
    subscription: { id: string; item: string } | null;
    proration: boolean;
    /** Invoice that the line partly credits. */
    credits?: string | null;
  },
): InvoiceLine {
  const { price, subscription, amount, credits = null } = given;
  return {
    id: work.newId('line_item'),
    object: 'line_item',
    amount,
    currency: price.currency,
    description: given.description,
    discount_amounts: [],
    discountable: !given.proration,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: {},
    parent: subscription && {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: given.proration,
        proration_details: {
          credited_items: credits === null ? null : { invoice: credits, invoice_line_items: [] },
        },
        subscription: subscription.id,
        subscription_item: subscription.item,
      },
    },
    period: given.period,
    pretax_credit_amounts: [],
    pricing: {
      type: 'price_details',
      price_details: { price: price.id, product: price.product },
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity: given.quantity,
    quantity_decimal: String(given.quantity),
    subscription: subscription?.id ?? null,
    subtotal: amount,
    taxes: [],
  };
}

export type InvoiceGiven = {
  id: string;
  customer: Row<'customer'>;
  currency: string;
  reason: InvoiceReason | 'upcoming';
  lines: InvoiceLine[];
  period: { start: number; end: number };
  subscription: Subscription | null;
  metadata: Metadata;
  usesBalance: boolean;
  pricing: Pricing;
};

/** Creates a draft. The amount due is the total plus the customer's balance, which is negative for a credit. */
export function draftInvoice(work: Work, given: InvoiceGiven): Invoice {
  const { id, subscription, pricing } = given;
  const customer = given.customer.body;
  const { taxId } = given.customer.memory;
  const { lines, ...totals } = calculateInvoice(given.lines, pricing);
  const { total } = totals;
  const balance = given.usesBalance ? customer.balance : 0;
  const due = Math.max(0, total + balance);
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Sandbox',
    account_tax_ids: null,
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: due,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: pricing.tax
      ? { disabled_reason: null, enabled: true, liability: { type: 'self' }, provider: 'stripe', status: 'complete' }
      : { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: given.reason,
    collection_method: 'charge_automatically',
    created: work.time,
    currency: given.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    ...(taxId !== undefined && { customer_tax_ids: [{ type: 'eu_vat', value: taxId }] }),
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: pricing.discount ? [pricing.discount.id] : [],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: {
      object: 'list',
      data: lines.map((line) => ({ ...line, invoice: id })),
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: false,
    metadata: given.metadata,
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: subscription && {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: given.period.end,
    period_start: given.period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: balance,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    ...totals,
    test_clock: customer.test_clock,
    total_pretax_credit_amounts: [],
    webhooks_delivered_at: null,
  };
}

export async function addInvoice(work: Work, given: Omit<InvoiceGiven, 'id'>): Promise<Row<'invoice'>> {
  const body = draftInvoice(work, { ...given, id: work.newId('invoice') });
  const row = work.add('invoice', body, {}, { timeline: await clockOf(work, given.customer.id) });
  emit(work, 'invoice.created', body);
  return row;
}

/** Gives the customer back the part of their balance that a voided invoice had used. */
export async function returnBalance(work: Work, { body }: Row<'invoice'>): Promise<void> {
  const used = (body.ending_balance ?? body.starting_balance) - body.starting_balance;
  if (used === 0) return;
  const customer = await work.need('customer', body.customer);
  setBalance(work, customer, customer.body.balance - used);
}

/** Turns a draft into a payable invoice with a number. A credit balance of the customer is spent first; a negative total adds to it. */
export async function finalizeInvoice(
  work: Work,
  invoice: Row<'invoice'>,
  { usesBalance }: { usesBalance: boolean },
): Promise<void> {
  const { body } = invoice;
  const customer = await work.need('customer', body.customer);
  const sequence = customer.body.next_invoice_sequence;
  const before = usesBalance ? customer.body.balance : 0;
  const { due, balance: after } = dueOf(body.total, before, body.currency);
  customer.body.next_invoice_sequence = sequence + 1;
  work.save(customer);
  setBalance(work, customer, customer.body.balance + after - before);
  body.starting_balance = before;
  body.ending_balance = after;
  body.amount_due = due;
  body.amount_remaining = body.amount_due;
  body.automatically_finalizes_at = null;
  body.effective_at = work.time;
  body.number = `${customer.body.invoice_prefix ?? 'SANDBOX'}-${String(sequence).padStart(4, '0')}`;
  body.hosted_invoice_url = `${work.publicUrl}/dev-stripe/invoice/${body.id}`;
  body.invoice_pdf = null;
  body.status = 'open';
  body.status_transitions.finalized_at = work.time;
  invoice.dueMs = null;
  work.save(invoice);
  emit(work, 'invoice.finalized', body);
}
