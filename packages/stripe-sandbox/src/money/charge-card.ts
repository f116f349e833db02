import { emit } from '../webhooks/emit-event.ts';
import type { Charge, Metadata, PayerCard } from '../objects/types.ts';
import type { Row, Work } from '../work.ts';
import { findTestCard, type Decline } from './test-cards.ts';
import { openDispute } from './dispute.ts';

export type ChargeResult = 'paid' | 'authenticates' | Decline;

/** Keeps a card. Of its number, only what Stripe shows is in the object. */
export function addPaymentMethod(work: Work, card: PayerCard, customer: string | null): Row<'payment_method'> {
  const row = work.add(
    'payment_method',
    {
      id: work.newId('payment_method'),
      object: 'payment_method',
      billing_details: { address: null, email: card.email || null, name: card.name || null, phone: null, tax_id: null },
      card: {
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
      },
      created: work.time,
      customer,
      customer_account: null,
      livemode: false,
      metadata: {},
      type: 'card',
    },
    { card: card.number },
  );
  if (customer !== null) emit(work, 'payment_method.attached', row.body);
  return row;
}

export function addPaymentIntent(
  work: Work,
  given: { amount: number; currency: string; customer: string | null; metadata: Metadata; description: string | null },
): Row<'payment_intent'> {
  const id = work.newId('payment_intent');
  const row = work.add(
    'payment_intent',
    {
      id,
      object: 'payment_intent',
      allowed_payment_method_types: null,
      amount: given.amount,
      amount_capturable: 0,
      amount_received: 0,
      application: null,
      application_fee_amount: null,
      automatic_payment_methods: null,
      canceled_at: null,
      cancellation_reason: null,
      capture_method: 'automatic_async',
      client_secret: `${id}_secret_sandbox`,
      confirmation_method: 'automatic',
      created: work.time,
      currency: given.currency,
      customer: given.customer,
      customer_account: null,
      description: given.description,
      excluded_payment_method_types: null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      managed_payments: null,
      metadata: given.metadata,
      next_action: null,
      on_behalf_of: null,
      payment_method: null,
      payment_method_configuration_details: null,
      payment_method_options: null,
      payment_method_types: ['card'],
      payment_record: null,
      processing: null,
      receipt_email: null,
      review: null,
      setup_future_usage: null,
      shipping: null,
      source: null,
      statement_descriptor: null,
      statement_descriptor_suffix: null,
      status: 'requires_payment_method',
      transfer_group: null,
    },
    {},
  );
  emit(work, 'payment_intent.created', row.body);
  return row;
}

/**
 * Charges a card for a payment intent.
 * @param owner where the card's owner is: on the page, on the page and authenticated, or away
 */
export function chargeCard(
  work: Work,
  intent: Row<'payment_intent'>,
  method: Row<'payment_method'>,
  owner: 'here' | 'authenticated' | 'away',
): ChargeResult {
  const card = findTestCard(method.memory.card);
  if (!card) throw new Error('a payment method has a card that is no test card');
  const outcome = owner === 'away' ? card.later : card.onPage;
  if (outcome === 'authenticates' && owner !== 'authenticated') {
    intent.body.status = 'requires_action';
    intent.body.next_action = { type: 'redirect_to_url', redirect_to_url: { return_url: null, url: null } };
    work.save(intent);
    emit(work, 'payment_intent.requires_action', intent.body);
    return 'authenticates';
  }
  const decline = typeof outcome === 'object' ? outcome : undefined;
  const charge = addCharge(work, intent, method, decline);
  intent.body.latest_charge = charge.id;
  intent.body.next_action = null;
  work.save(intent);
  if (decline) {
    refuseIntent(work, intent, decline, charge.id);
    emit(work, 'charge.failed', charge.body);
    return decline;
  }
  intent.body.status = 'succeeded';
  intent.body.amount_received = intent.body.amount;
  intent.body.payment_method = method.id;
  intent.body.last_payment_error = null;
  emit(work, 'charge.succeeded', charge.body);
  emit(work, 'payment_intent.succeeded', intent.body);
  if (card.disputed) openDispute(work, charge);
  return 'paid';
}

/** The intent waits for another card. */
export function refuseIntent(work: Work, intent: Row<'payment_intent'>, decline: Decline, charge?: string): void {
  intent.body.status = 'requires_payment_method';
  intent.body.next_action = null;
  intent.body.last_payment_error = {
    type: 'card_error',
    code: decline.code,
    decline_code: decline.declineCode,
    message: decline.message,
    ...(charge !== undefined && { charge }),
  };
  work.save(intent);
  emit(work, 'payment_intent.payment_failed', intent.body);
}

function addCharge(
  work: Work,
  intent: Row<'payment_intent'>,
  method: Row<'payment_method'>,
  decline: Decline | undefined,
): Row<'charge'> {
  const { amount, currency, customer, metadata, description } = intent.body;
  const id = work.newId('charge');
  const body: Charge = {
    id,
    object: 'charge',
    amount,
    amount_captured: decline ? 0 : amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.body.billing_details,
    calculated_statement_descriptor: 'SANDBOX',
    captured: !decline,
    created: work.time,
    currency,
    customer,
    description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata,
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: decline ? 'declined_by_network' : 'approved_by_network',
      reason: decline?.declineCode ?? null,
      risk_level: 'normal',
      seller_message: decline ? 'The bank declined the payment.' : 'Payment complete.',
      type: decline ? 'issuer_declined' : 'authorized',
    },
    paid: !decline,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card' },
    receipt_email: null,
    receipt_number: null,
    receipt_url: decline ? null : `${work.publicUrl}/dev-stripe/receipt/${id}`,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: decline ? 'failed' : 'succeeded',
    transfer_data: null,
    transfer_group: null,
  };
  return work.add('charge', body, {});
}
