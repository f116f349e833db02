import type { Query } from '#platform/db/database.ts';

/** What a price of the provider costs and brings each month. It never changes: another offer is another price. */
export type PlanPrice = { priceId: string; planId: string; amount: number; currency: string; monthlyCredits: number };

/** Of a price that is known already, what is known stays. */
export async function notePlanPrice(
  query: Query,
  { priceId, planId, amount, currency, monthlyCredits }: PlanPrice,
): Promise<void> {
  await query(
    `insert into plan_prices (price_id, plan_id, amount, currency, monthly_credits) values ($1, $2, $3, $4, $5)
     on conflict (price_id) do nothing`,
    [priceId, planId, amount, currency, monthlyCredits],
  );
}

/** Credits that a month at each known price brings. */
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

/** A price that a subscription has and that is not known here, as after a restore: it brings what its plan brings now. */
export async function noteSeenPrice(
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
