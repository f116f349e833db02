import { emit } from '../webhooks/emit-event.ts';
import type { PayerCard, PaymentMethod } from '../objects/types.ts';
import type { Row, Work } from '../work.ts';
import { findTestCard } from './test-cards.ts';

/** Stores a card or bank account. The object contains only the digits that Stripe shows. */
export function addPaymentMethod(work: Work, card: PayerCard, customer: string | null): Row<'payment_method'> {
  const isDebit = findTestCard(card.number)?.debit !== undefined;
  const row = work.add(
    'payment_method',
    {
      id: work.newId('payment_method'),
      object: 'payment_method',
      billing_details: { address: null, email: card.email || null, name: card.name || null, phone: null, tax_id: null },
      ...(isDebit ? { sepa_debit: debitOf(card) } : { card: cardOf(card) }),
      created: work.time,
      customer,
      customer_account: null,
      livemode: false,
      metadata: {},
      type: isDebit ? 'sepa_debit' : 'card',
    },
    { card: card.number },
  );
  if (customer !== null) emit(work, 'payment_method.attached', row.body);
  return row;
}

const cardOf = (card: PayerCard): NonNullable<PaymentMethod['card']> => ({
  brand: 'visa',
  checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
  country: 'US',
  display_brand: 'visa',
  exp_month: card.expMonth,
  exp_year: card.expYear,
  funding: 'credit',
  generated_from: null,
  last4: card.number.slice(-4),
  networks: { available: ['visa'], preferred: null },
  regulated_status: 'unregulated',
  three_d_secure_usage: { supported: true },
  wallet: null,
});

const debitOf = (card: PayerCard): NonNullable<PaymentMethod['sepa_debit']> => ({
  bank_code: null,
  branch_code: null,
  country: card.number.slice(0, 2),
  fingerprint: null,
  generated_from: null,
  last4: card.number.slice(-4),
});

/** Attaches a payment method to a customer, who can then be charged later without being present. */
export function attachMethod(work: Work, method: Row<'payment_method'>, customer: string): void {
  if (method.body.customer === customer) return;
  method.body.customer = customer;
  work.save(method);
  emit(work, 'payment_method.attached', method.body);
}
