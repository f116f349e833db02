import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../read-rows.ts';

export type PlanDecision = {
  id: string;
  providerSubscriptionId: string;
  /** The provider's ids of the old and the new price. */
  fromPriceId: string;
  priceId: string;
  /** Minor units that the user saw and pays now. */
  amountDue: number;
  /** Second for which the amount was prorated; undefined: the plan starts with the next period. */
  prorationDate: number | undefined;
  state: 'open' | 'done' | 'dropped';
};

const selectChange = `select id, payment_id as "providerSubscriptionId", from_price_id as "fromPriceId", price_id as "priceId",
  amount_due as "amountDue", proration_date as "prorationDate", state from plan_changes`;

/** Key of the metadata of the provider's subscription that has the id of a decision. */
export const changeName = 'change';

/** Stores a decision. It replaces open decisions about the same subscription, which are dropped. */
export async function decideChange(
  query: Query,
  { userId, livemode, at, ...decision }: Omit<PlanDecision, 'state'> & { userId: string; livemode: boolean; at: Date },
): Promise<void> {
  const { id, providerSubscriptionId, fromPriceId, priceId, amountDue, prorationDate } = decision;
  await query(
    `with dropped as (update plan_changes set state = 'dropped' where payment_id = $4 and state = 'open')
     insert into plan_changes (id, user_id, livemode, payment_id, from_price_id, price_id, amount_due, proration_date, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, userId, livemode, providerSubscriptionId, fromPriceId, priceId, amountDue, prorationDate ?? null, at],
  );
}

/** Drops changes that the provider may still make, such as when the plan is canceled. */
export async function dropOpenChanges(query: Query, id: string): Promise<void> {
  await query(`update plan_changes set state = 'dropped' where payment_id = $1 and state = 'open'`, [id]);
}

/**
 * Finds the newest decision about a subscription if the same click made it: the request was repeated because its answer was
 * lost.
 */
export function findSameChange(
  query: Query,
  wanted: { providerSubscriptionId: string; priceId: string; prorationDate: number },
): Promise<PlanDecision | undefined> {
  return readRow(
    query,
    `${selectChange} where number = (select max(number) from plan_changes where payment_id = $1)
       and price_id = $2 and proration_date = $3`,
    [wanted.providerSubscriptionId, wanted.priceId, wanted.prorationDate],
  );
}

export function findChange(query: Query, id: string): Promise<PlanDecision | undefined> {
  return readRow(query, `${selectChange} where id::text = $1`, [id]);
}

/** @returns false where it was decided before */
export async function endChange(query: Query, id: string, state: 'done' | 'dropped'): Promise<boolean> {
  const { rows } = await query(`update plan_changes set state = $2 where id = $1 and state = 'open' returning id`, [
    id,
    state,
  ]);
  return rows.length === 1;
}

/** Drops a change for which the provider charged another amount than the user saw; that payment is refunded. */
export async function dropChange(query: Query, id: string): Promise<void> {
  await query(`update plan_changes set state = 'dropped' where id = $1`, [id]);
}

/**
 * Reads the price that a subscription has without a dropped change: the price of the change that replaced it, or the previous
 * one.
 */
export async function readPriceWithout(query: Query, change: PlanDecision): Promise<string> {
  const { rows } = await query<{ price_id: string }>(
    `select price_id from plan_changes where payment_id = $1 and state = 'done'
       and number > (select number from plan_changes where id = $2) order by number desc limit 1`,
    [change.providerSubscriptionId, change.id],
  );
  return rows[0]?.price_id ?? change.fromPriceId;
}
