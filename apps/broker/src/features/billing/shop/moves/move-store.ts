import type { OfferMove } from '@souk/contract/admin/offers.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Query } from '#platform/db/database.ts';
import { readRow, readRows } from '../../read-rows.ts';

/** A move of the subscribers of a plan to its price at the start of the move. */
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

export type MoveCounts = {
  total: number;
  moved: number;
  skipped: number;
  failed: number;
  later: number;
  reasons: OfferMove['reasons'];
};

const move = `m.id, m.plan_id as "planId", m.price_id as "priceId", m.amount, m.currency, m.monthly_credits as "monthlyCredits",
  m.started_at as "startedAt", m.started_by as "startedBy", m.ended_at as "endedAt"`;

/** Silence after which the broker that works on a move is considered dead. */
const lifeSeconds = 30;

/** Counts the outcomes of a move. `later`: subscribers who wait for their renewal. */
const countsOf = (moveId: string, now = 'now()') => `
  select counted.*, listed.reasons from (
    select count(*)::int as total, count(*) filter (where status = 'moved')::int as moved,
      count(*) filter (where status = 'skipped')::int as skipped, count(*) filter (where status = 'failed')::int as failed,
      count(*) filter (where status = 'queued' and due_at > ${now})::int as later
    from price_move_items where move_id = ${moveId}) counted,
  (select coalesce(jsonb_agg(jsonb_build_object('outcome', status, 'why', why, 'subscribers', subscribers)
      order by subscribers desc, why), '[]') as reasons
    from (select status, why, count(*)::int as subscribers from price_move_items
      where move_id = ${moveId} and status in ('skipped', 'failed') and why is not null group by status, why) r) listed`;

/** Reads the newest moves of a plan with their outcomes: counted while a move is under way, stored once it has ended. */
export async function listMoves(
  query: Query,
  { livemode, planId, nowMs }: { livemode: boolean; planId: string; nowMs: number },
): Promise<(Move & MoveCounts)[]> {
  const rows = await readRows<Move & { counts: MoveCounts }>(
    query,
    `select ${move}, coalesce(m.counts, to_jsonb(i)) as counts
     from (select m.*, case when ended_at is not null then outcome end as counts from price_moves m
         where livemode = $1 and plan_id = $2 order by started_at desc limit 5) m,
       lateral (${countsOf('m.id and m.counts is null', '$3')}) i
     order by m.started_at desc`,
    [livemode, planId, new Date(nowMs)],
  );
  return rows.map(({ counts, ...one }) => ({ ...one, ...counts }));
}

/** Counts the subscribers that a move under way has not reached. */
export async function countQueued(query: Query, livemode: boolean, planId: string): Promise<number> {
  const row = await readRow<{ queued: number }>(
    query,
    `select count(*)::int as queued from price_move_items i join price_moves m on m.id = i.move_id
     where m.livemode = $1 and m.plan_id = $2 and m.ended_at is null and i.status = 'queued'`,
    [livemode, planId],
  );
  return row?.queued ?? 0;
}

/** Finds the moves that have something to do now, the oldest first. */
export function findDue(query: Query, livemode: boolean, nowMs: number): Promise<Move[]> {
  return readRows(
    query,
    `select ${move} from price_moves m where livemode = $1 and ended_at is null and (
       exists (select from price_move_items i where i.move_id = m.id and i.status = 'queued' and i.due_at <= $2)
       or not exists (select from price_move_items i where i.move_id = m.id and i.status = 'queued'))
     order by started_at`,
    [livemode, new Date(nowMs)],
  );
}

/** Claims a move for this broker, or renews the claim. @returns false where another broker has it, or the move is over */
export async function claimMove(query: Query, moveId: string, worker: string): Promise<boolean> {
  const { rows } = await query(
    `update price_moves set worker = $2, beat = now() where id = $1 and ended_at is null
       and (worker is null or worker = $2 or beat < now() - make_interval(secs => $3)) returning id`,
    [moveId, worker, lifeSeconds],
  );
  return rows.length === 1;
}

/** Releases a move for other brokers, when this one stops or cannot reach the provider. */
export async function releaseMove(query: Query, moveId: string, worker: string): Promise<void> {
  await query('update price_moves set worker = null where id = $1 and worker = $2', [moveId, worker]);
}

/** Reads the provider's id of the next subscription that is due. */
export async function nextDue(query: Query, moveId: string, nowMs: number): Promise<string | undefined> {
  const row = await readRow<{ id: string }>(
    query,
    `select payment_id as id from price_move_items
     where move_id = $1 and status = 'queued' and due_at <= $2 order by due_at, payment_id limit 1`,
    [moveId, new Date(nowMs)],
  );
  return row?.id;
}

/** Stores the outcome of a subscriber, unless another broker has decided it meanwhile. */
export async function decideItem(
  query: Query,
  moveId: string,
  providerSubscriptionId: string,
  outcome:
    | { status: 'moved' | 'skipped' | 'failed'; why?: string; appliesAt?: Date }
    | { status: 'queued'; dueAt: Date; appliesAt: Date },
): Promise<void> {
  await query(
    `update price_move_items set status = $3, why = $4, applies_at = coalesce($5, applies_at), due_at = coalesce($6, due_at)
     where move_id = $1 and payment_id = $2 and status = 'queued'`,
    [
      moveId,
      providerSubscriptionId,
      outcome.status,
      'why' in outcome ? (outcome.why ?? null) : null,
      outcome.appliesAt ?? null,
      'dueAt' in outcome ? outcome.dueAt : null,
    ],
  );
}

/** Ends a completed move, with its counts in the audit log. */
export function endMove(query: Query, move: Move, nowMs: number): Promise<void> {
  return end(query, [move], 'offer.moved', nowMs);
}

/** Stops the moves under way of a plan whose price or credits change: subscribers that were not reached keep what they have. */
export async function endMovesOf(query: Query, planId: string, nowMs: number): Promise<void> {
  const moves = await readRows<Move>(
    query,
    `select ${move} from price_moves m where plan_id = $1 and ended_at is null for update`,
    [planId],
  );
  for (const { id } of moves)
    await query(
      `update price_move_items set status = 'skipped', why = 'the offer changed again' where move_id = $1 and status = 'queued'`,
      [id],
    );
  await end(query, moves, 'offer.move-stopped', nowMs);
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
