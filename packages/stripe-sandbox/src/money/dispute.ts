import { emit } from '../webhooks/emit-event.ts';
import type { Dispute } from '../objects/types.ts';
import type { Row, Work } from '../work.ts';

const daySeconds = 86_400;

/** Opens a dispute of a charge; the money is withdrawn until it is decided. */
export function openDispute(
  work: Work,
  charge: Row<'charge'>,
  as: { status?: 'warning_needs_response'; amount?: number; currency?: string; caseType?: 'block' | 'resolution' } = {},
): Row<'dispute'> {
  const { payment_intent: paymentIntent } = charge.body;
  const { amount = charge.body.amount, currency = charge.body.currency, status = 'needs_response' } = as;
  charge.body.disputed = status === 'needs_response';
  work.save(charge);
  const row = work.add(
    'dispute',
    {
      id: work.newId('dispute'),
      object: 'dispute',
      amount,
      balance_transactions: [],
      charge: charge.id,
      created: work.time,
      currency,
      enhanced_eligibility_types: [],
      evidence: noEvidence,
      evidence_details: {
        due_by: work.time + 7 * daySeconds,
        enhanced_eligibility: {},
        has_evidence: false,
        past_due: false,
        submission_count: 0,
        submission_method: 'not_submitted',
      },
      intended_submission_method: null,
      is_charge_refundable: false,
      livemode: false,
      metadata: {},
      payment_intent: paymentIntent,
      payment_method_details: {
        card: { brand: 'visa', case_type: as.caseType ?? 'chargeback', network: 'visa', network_reason_code: null },
        type: 'card',
      },
      reason: 'fraudulent',
      status,
    },
    {},
  );
  emit(work, 'charge.dispute.created', row.body);
  if (status === 'needs_response') emit(work, 'charge.dispute.funds_withdrawn', row.body);
  return row;
}

/** Records the bank's decision. won: the money is returned. prevented: it was refunded before a dispute arose. */
export function closeDispute(
  work: Work,
  dispute: Row<'dispute'>,
  status: 'won' | 'lost' | 'prevented' | 'warning_closed',
): void {
  dispute.body.status = status;
  work.save(dispute);
  emit(work, 'charge.dispute.closed', dispute.body);
  if (status === 'won') emit(work, 'charge.dispute.funds_reinstated', dispute.body);
}

const noEvidence: Dispute['evidence'] = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};
