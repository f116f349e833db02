import { emit } from '../webhooks/emit-event.ts';
import type { Charge, Metadata } from '../objects/types.ts';
import type { Row, Work } from '../work.ts';
import { findTestCard, type Decline } from './test-cards.ts';
import { openDispute } from './dispute.ts';

export type ChargeResult = 'paid' | 'processing' | 'authenticates' | Decline;

export function addPaymentIntent(
  work: Work,
  given: {
    amount: number;
    currency: string;
    customer: string | null;
    metadata: Metadata;
    description: string | null;
    /** Test clock of the customer. */
    timeline: string | null;
    session?: string;
    methods?: string[];
  },
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
      payment_method_types: given.methods ?? ['card'],
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
    given.session === undefined ? {} : { session: given.session },
    { timeline: given.timeline },
  );
  emit(work, 'payment_intent.created', row.body);
  return row;
}

/**
 * Charges a card for a payment intent.
 * @param owner whether the card owner is on the page, authenticated on the page, or away
 */
export function chargeCard(
  work: Work,
  intent: Row<'payment_intent'>,
  method: Row<'payment_method'>,
  owner: 'here' | 'authenticated' | 'away',
): ChargeResult {
  const card = findTestCard(method.memory.card);
  if (!card) throw new Error('a payment method has a card that is not a test card');
  const outcome = owner === 'away' ? card.later : card.onPage;
  if (outcome === 'authenticates' && owner !== 'authenticated') {
    intent.body.status = 'requires_action';
    intent.body.next_action = { type: 'redirect_to_url', redirect_to_url: { return_url: null, url: null } };
    work.save(intent);
    emit(work, 'payment_intent.requires_action', intent.body);
    return 'authenticates';
  }
  const decline = typeof outcome === 'object' ? outcome : undefined;
  const charge = addCharge(work, intent, method, decline ?? (card.debit ? 'pending' : undefined));
  intent.body.latest_charge = charge.id;
  intent.body.next_action = null;
  work.save(intent);
  if (decline) {
    refuseIntent(work, intent, decline, charge.id);
    emit(work, 'charge.failed', charge.body);
    return decline;
  }
  intent.body.payment_method = method.id;
  if (card.debit) {
    intent.body.status = 'processing';
    intent.dueMs = (work.time + debitSeconds) * 1000;
    emit(work, 'charge.pending', charge.body);
    emit(work, 'payment_intent.processing', intent.body);
    return 'processing';
  }
  succeed(work, intent, charge);
  if (card.disputed) openDispute(work, charge);
  return 'paid';
}

/** Time until the bank accepts or rejects a debit. */
const debitSeconds = 3 * 86_400;

function succeed(work: Work, intent: Row<'payment_intent'>, charge: Row<'charge'>): void {
  intent.body.status = 'succeeded';
  intent.body.amount_received = intent.body.amount;
  intent.body.last_payment_error = null;
  emit(work, 'charge.succeeded', charge.body);
  emit(work, 'payment_intent.succeeded', intent.body);
}

const debitFailed: Decline = {
  code: 'payment_intent_payment_attempt_failed',
  declineCode: 'insufficient_funds',
  message: 'The bank did not pay the debit.',
};

/**
 * Records the bank's decision about a debit.
 * @returns whether it is paid
 */
export async function decideDebit(work: Work, intent: Row<'payment_intent'>): Promise<boolean> {
  const method = await work.need('payment_method', intent.body.payment_method ?? '');
  const charge = await work.need('charge', intent.body.latest_charge ?? '');
  const arrives = findTestCard(method.memory.card)?.debit === 'arrives';
  intent.dueMs = null;
  Object.assign(charge.body, stateOf(intent.body.amount, arrives ? undefined : debitFailed));
  work.save(charge);
  work.save(intent);
  if (arrives) succeed(work, intent, charge);
  else {
    emit(work, 'charge.failed', charge.body);
    refuseIntent(work, intent, debitFailed, charge.id);
  }
  return arrives;
}

/** Returns the fields of a charge that depend on its outcome. `pending`: the bank has not decided yet. */
const stateOf = (amount: number, outcome: Decline | 'pending' | undefined) => ({
  amount_captured: outcome === undefined || outcome === 'pending' ? amount : 0,
  captured: outcome === undefined || outcome === 'pending',
  failure_code: typeof outcome === 'object' ? outcome.code : null,
  failure_message: typeof outcome === 'object' ? outcome.message : null,
  paid: outcome === undefined,
  status: outcome === undefined ? ('succeeded' as const) : outcome === 'pending' ? outcome : ('failed' as const),
});

/** Records a decline; the intent then needs another card. */
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
  outcome: Decline | 'pending' | undefined,
): Row<'charge'> {
  const decline = typeof outcome === 'object' ? outcome : undefined;
  const { amount, currency, customer, metadata, description } = intent.body;
  const id = work.newId('charge');
  const body: Charge = {
    id,
    object: 'charge',
    amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.body.billing_details,
    calculated_statement_descriptor: 'SANDBOX',
    created: work.time,
    currency,
    customer,
    description,
    disputed: false,
    failure_balance_transaction: null,
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
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: method.body.type },
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
    ...stateOf(amount, outcome),
    transfer_data: null,
    transfer_group: null,
  };
  return work.add('charge', body, {});
}
