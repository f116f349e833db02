import type { Stripe } from 'stripe';
import type { Query } from '#platform/db/database.ts';
import { idOf } from '../id-of.ts';

/** Stores a dispute in its current state, for the administrators who answer it. @param payment undefined: unknown here */
export async function recordDispute(
  query: Query,
  dispute: Stripe.Dispute,
  payment: { userId: string; description: string } | undefined,
): Promise<void> {
  const { due_by: dueBy } = dispute.evidence_details;
  await query(
    `insert into disputes (id, livemode, user_id, description, status, reason, amount, currency, opened_at, due_by,
       payment_intent_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (id) do update set user_id = coalesce(excluded.user_id, disputes.user_id),
       description = coalesce(excluded.description, disputes.description), status = excluded.status,
       reason = excluded.reason, amount = excluded.amount, due_by = excluded.due_by,
       payment_intent_id = excluded.payment_intent_id`,
    [
      dispute.id,
      dispute.livemode,
      payment?.userId ?? null,
      payment?.description ?? null,
      dispute.status,
      dispute.reason,
      dispute.amount,
      dispute.currency.toUpperCase(),
      new Date(dispute.created * 1000),
      dueBy === null || dueBy === undefined ? null : new Date(dueBy * 1000),
      idOf(dispute.payment_intent) ?? null,
    ],
  );
}
