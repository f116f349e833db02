import { writeAuditWith } from '#platform/audit/audit-log.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { queueNotice, type NewNotice } from '#platform/notices/outbox.ts';
import { lockOffers } from '../offers/offer-rows.ts';
import { appliesAt, candidates, candidateValues, previewMove, type MoveTarget } from './preview-move.ts';

/**
 * Stores a move with all its subscribers: from then on their Billing tab says what they will pay and when.
 * @param find the plan and its price as they are in this transaction
 * @throws SoukError changed_since_shown where the subscribers or the terms are not those that were shown, or a move of the plan
 *   is under way
 */
export async function beginMove(
  query: Query,
  wanted: {
    id: string;
    livemode: boolean;
    find(query: Query): Promise<MoveTarget & { priceId: string }>;
    shown: { movable: number; amount: number; monthlyCredits: number };
    nowMs: number;
    by: DecidedBy;
  },
): Promise<void> {
  const { id, livemode, shown, nowMs, by } = wanted;
  await lockOffers(query);
  const target = await wanted.find(query);
  const { planId, name, priceId, amount, currency, monthlyCredits } = target;
  const { rows: underWay } = await query(
    'select from price_moves where livemode = $1 and plan_id = $2 and ended_at is null',
    [livemode, planId],
  );
  if (underWay.length > 0)
    throw new SoukError('changed_since_shown', {
      message: `Subscribers of ${name} are being moved already. Wait until that move has ended.`,
    });
  const { movable, groups } = await previewMove(query, livemode, target, nowMs);
  if (movable !== shown.movable || amount !== shown.amount || monthlyCredits !== shown.monthlyCredits)
    throw new SoukError('changed_since_shown', {
      message: `${name} or its subscribers changed in the meantime: ${movable} would be moved now. Nothing was done. Check the new numbers and try again.`,
    });
  const at = new Date(nowMs);
  await query(
    `insert into price_moves (id, livemode, plan_id, price_id, amount, currency, monthly_credits, started_at, started_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, livemode, planId, priceId, amount, currency, monthlyCredits, at, actorOf(by) ?? null],
  );
  await query(
    `insert into price_move_items (move_id, payment_id, from_amount, from_credits, due_at, applies_at)
     select $9, payment_id, amount, monthly_credits, $6::timestamptz, ${appliesAt}
     from ${candidates} where state = 'movable'`,
    [...candidateValues(livemode, target, nowMs), id],
  );
  const { rows: moved } = await query<MovedRow>(
    `select i.payment_id, s.user_id, i.from_amount, s.price_currency, i.applies_at
     from price_move_items i join subscriptions s using (payment_id) where i.move_id = $1`,
    [id],
  );
  for (const row of moved) await queueNotice(query, noticeOf(row, { id, plan: name, to: { amount, currency } }), at);
  const { reason } = by;
  await writeAuditWith(
    query,
    {
      actorId: actorOf(by),
      action: 'offer.move-started',
      subject: `offer:${planId}`,
      ...(reason !== undefined && { reason }),
      details: { move: id, ...operatorOf(by), amount, currency, monthlyCredits, subscribers: movable, groups },
    },
    at,
  );
}

type MovedRow = {
  payment_id: string;
  user_id: string;
  from_amount: number | null;
  price_currency: string | null;
  applies_at: Date;
};

/** Announces another price before it is charged: the law requires `noticeDays`. */
function noticeOf(
  { payment_id, user_id: userId, from_amount: before, price_currency: currency, applies_at: at }: MovedRow,
  { id, plan, to }: { id: string; plan: string; to: { amount: number; currency: string } },
): NewNotice<'price_changes'> {
  const from = before === null || currency === null ? null : { amount: before, currency };
  const facts = { plan, from, to, appliesAt: at.toISOString() };
  return { kind: 'price_changes', userId, event: `${id}:${payment_id}`, facts };
}
