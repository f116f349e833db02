import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../read-rows.ts';

/** Terms of a price at the provider. A price never changes: other terms have another price. */
export type PlanPrice = { priceId: string; planId: string; amount: number; currency: string; monthlyCredits: number };

/** Stores a price; a price that is known already stays as it is. */
export async function recordPlanPrice(
  query: Query,
  { priceId, planId, amount, currency, monthlyCredits }: PlanPrice,
): Promise<void> {
  await query(
    `insert into plan_prices (price_id, plan_id, amount, currency, monthly_credits) values ($1, $2, $3, $4, $5)
     on conflict (price_id) do nothing`,
    [priceId, planId, amount, currency, monthlyCredits],
  );
}

/** Reads the monthly credits of each known price. */
export async function creditsOfPrices(query: Query, priceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await query<{ price_id: string; monthly_credits: number }>(
    'select price_id, monthly_credits from plan_prices where price_id = any ($1::text[])',
    [priceIds],
  );
  return new Map(rows.map((row) => [row.price_id, row.monthly_credits]));
}

export async function creditsOfPrice(query: Query, priceId: string | undefined): Promise<number | undefined> {
  return priceId === undefined ? undefined : (await creditsOfPrices(query, [priceId])).get(priceId);
}

/**
 * Reads the credits of the month that a subscription has paid for: those of its price, or of the previous one where the
 * provider already has another price for the next renewal.
 * @param at a moment of that month
 */
export async function creditsOfPeriod(
  query: Query,
  providerSubscriptionId: string,
  priceId: string | undefined,
  at: Date,
): Promise<number | undefined> {
  const move = await readRow<{ credits: number | undefined }>(
    query,
    `select from_credits as credits from price_move_items i join price_moves m on m.id = i.move_id
     where i.payment_id = $1 and i.status = 'moved' and m.price_id = $2 and i.applies_at > $3
     order by m.started_at desc limit 1`,
    [providerSubscriptionId, priceId ?? null, at],
  );
  return move?.credits ?? creditsOfPrice(query, priceId);
}

/** Stores a subscription's price that is unknown here, as after a restore, with the current credits of its plan. */
export async function recordSeenPrice(
  query: Query,
  {
    priceId,
    amount,
    currency,
    offerId,
  }: { priceId: string; amount: number | undefined; currency: string; offerId: string },
): Promise<void> {
  if (amount === undefined) return;
  await query(
    `insert into plan_prices (price_id, plan_id, amount, currency, monthly_credits)
     select $1, plan_id, $3, $4, monthly_credits from plans where plan_id = $2 on conflict (price_id) do nothing`,
    [priceId, offerId, amount, currency],
  );
}
