import type { OfferMove } from '@souk/contract/admin/offers.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Query } from '#platform/db/database.ts';

/** A move of the subscribers of a plan to the price that it has when the move begins. */
export type Move = {
  id: string;
  planId: string;
  priceId: string;
  amount: number;
  currency: string;
  monthlyCredits: number;
  startedAt: Date;
  startedBy: string | undefined;
  endedAt: Date | undefined;
};

export type MoveItem = {
  paymentId: string;
  fromAmount: number | undefined;
  dueAt: Date;
};

export type MoveCounts = {
  total: number;
  moved: number;
  skipped: number;
  failed: number;
  later: number;
  reasons: OfferMove['reasons'];
};

type Row = {
  id: string;
  plan_id: string;
  price_id: string;
  amount: number;
  currency: string;
  monthly_credits: number;
  started_at: Date;
  started_by: string | null;
  ended_at: Date | null;
};

const present = (row: Row): Move => ({
  id: row.id,
  planId: row.plan_id,
  priceId: row.price_id,
  amount: row.amount,
  currency: row.currency,
  monthlyCredits: row.monthly_credits,
  startedAt: row.started_at,
  startedBy: row.started_by ?? undefined,
  endedAt: row.ended_at ?? undefined,
});

/** After so long without a sign the broker that works on a move is taken for dead. */
const lifeSeconds = 30;

/** What became of the subscribers of a move. A later one waits for its renewal. */
const countsOf = (move: string, now = 'now()') => `
  select counted.*, told.reasons from (
    select count(*)::int as total, count(*) filter (where status = 'moved')::int as moved,
      count(*) filter (where status = 'skipped')::int as skipped, count(*) filter (where status = 'failed')::int as failed,
      count(*) filter (where status = 'queued' and due_at > ${now})::int as later
    from price_move_items where move_id = ${move}) counted,
  (select coalesce(jsonb_agg(jsonb_build_object('outcome', status, 'why', why, 'subscribers', subscribers)
      order by subscribers desc, why), '[]') as reasons
    from (select status, why, count(*)::int as subscribers from price_move_items
      where move_id = ${move} and status in ('skipped', 'failed') and why is not null group by status, why) r) told`;

/**
 * The newest moves of a plan, each with what became of its subscribers. Those of a move under way are counted; when it ended,
 * its counts were written down.
 */
export async function listMoves(
  query: Query,
  { livemode, planId, nowMs }: { livemode: boolean; planId: string; nowMs: number },
): Promise<(Move & MoveCounts)[]> {
  const { rows } = await query<Row & { counts: MoveCounts }>(
    `select m.*, coalesce(m.counts, to_jsonb(i)) as counts
     from (select m.*, case when ended_at is not null then outcome end as counts from price_moves m
         where livemode = $1 and plan_id = $2 order by started_at desc limit 5) m,
       lateral (${countsOf('m.id and m.counts is null', '$3')}) i
     order by m.started_at desc`,
    [livemode, planId, new Date(nowMs)],
  );
  return rows.map((row) => ({ ...present(row), ...row.counts }));
}

/** Subscribers whom a move that is under way has not reached. */
export async function countQueued(query: Query, livemode: boolean, planId: string): Promise<number> {
  const { rows } = await query<{ queued: number }>(
    `select count(*)::int as queued from price_move_items i join price_moves m on m.id = i.move_id
     where m.livemode = $1 and m.plan_id = $2 and m.ended_at is null and i.status = 'queued'`,
    [livemode, planId],
  );
  return rows[0]?.queued ?? 0;
}

/** The oldest that has something to do now. */
export async function findDue(query: Query, livemode: boolean, nowMs: number): Promise<Move[]> {
  const { rows } = await query<Row>(
    `select m.* from price_moves m where livemode = $1 and ended_at is null and (
       exists (select from price_move_items i where i.move_id = m.id and i.status = 'queued' and i.due_at <= $2)
       or not exists (select from price_move_items i where i.move_id = m.id and i.status = 'queued'))
     order by started_at`,
    [livemode, new Date(nowMs)],
  );
  return rows.map(present);
}

/** Shows that this broker works on a move. @returns false where another one does, or the move is over */
export async function claimMove(query: Query, moveId: string, worker: string): Promise<boolean> {
  const { rows } = await query(
    `update price_moves set worker = $2, beat = now() where id = $1 and ended_at is null
       and (worker is null or worker = $2 or beat < now() - make_interval(secs => $3)) returning id`,
    [moveId, worker, lifeSeconds],
  );
  return rows.length === 1;
}

/** A broker that stops, or cannot reach the provider, leaves its move to any other. */
export async function leaveMove(query: Query, moveId: string, worker: string): Promise<void> {
  await query('update price_moves set worker = null where id = $1 and worker = $2', [moveId, worker]);
}

export async function nextItem(query: Query, moveId: string, nowMs: number): Promise<MoveItem | undefined> {
  const { rows } = await query<{ payment_id: string; from_amount: number | null; due_at: Date }>(
    `select payment_id, from_amount, due_at from price_move_items
     where move_id = $1 and status = 'queued' and due_at <= $2 order by due_at, payment_id limit 1`,
    [moveId, new Date(nowMs)],
  );
  const [row] = rows;
  return row && { paymentId: row.payment_id, fromAmount: row.from_amount ?? undefined, dueAt: row.due_at };
}

/** What became of a subscriber. Of one that another broker has decided meanwhile nothing changes. */
export async function decideItem(
  query: Query,
  moveId: string,
  paymentId: string,
  outcome:
    | { status: 'moved' | 'skipped' | 'failed'; why?: string; appliesAt?: Date }
    | { status: 'queued'; dueAt: Date; appliesAt: Date },
): Promise<void> {
  await query(
    `update price_move_items set status = $3, why = $4, applies_at = coalesce($5, applies_at), due_at = coalesce($6, due_at)
     where move_id = $1 and payment_id = $2 and status = 'queued'`,
    [
      moveId,
      paymentId,
      outcome.status,
      'why' in outcome ? (outcome.why ?? null) : null,
      outcome.appliesAt ?? null,
      'dueAt' in outcome ? outcome.dueAt : null,
    ],
  );
}

/** Ends a move of which nothing is left to do, with its counts in the audit log. */
export function endMove(query: Query, move: Move, nowMs: number): Promise<void> {
  return end(query, [move], 'offer.moved', nowMs);
}

/** Ends what is under way for a plan whose price or credits change: those whom it has not reached keep what they have. */
export async function endMovesOf(query: Query, planId: string, nowMs: number): Promise<void> {
  const { rows } = await query<Row>('select * from price_moves where plan_id = $1 and ended_at is null for update', [
    planId,
  ]);
  for (const { id } of rows)
    await query(
      `update price_move_items set status = 'skipped', why = 'the offer changed again' where move_id = $1 and status = 'queued'`,
      [id],
    );
  await end(query, rows.map(present), 'offer.move-stopped', nowMs);
}

async function end(
  query: Query,
  moves: readonly Move[],
  action: 'offer.moved' | 'offer.move-stopped',
  nowMs: number,
): Promise<void> {
  for (const { id, planId, amount, currency } of moves) {
    const { rows } = await query(
      'update price_moves set ended_at = $2, worker = null where id = $1 and ended_at is null returning id',
      [id, new Date(nowMs)],
    );
    if (rows.length === 0) continue;
    const { rows: ended } = await query<{ outcome: MoveCounts }>(
      `update price_moves set outcome = (select to_jsonb(i) from (${countsOf('$1')}) i) where id = $1 returning outcome`,
      [id],
    );
    const { moved, skipped, failed } = ended[0]?.outcome ?? { moved: 0, skipped: 0, failed: 0 };
    await writeAuditWith(
      query,
      {
        actorId: undefined,
        action,
        subject: `offer:${planId}`,
        details: { move: id, amount, currency, moved, skipped, failed },
      },
      new Date(nowMs),
    );
  }
}
