import type { Query } from '#platform/db/database.ts';
import { creditsOfPrice } from '../prices/plan-prices.ts';

/**
 * Credits that the month brought which a subscription has paid for: those of its price, or of the one before where the provider
 * was told of another one for the next renewal already.
 * @param at within that month
 */
export async function creditsOfPeriod(
  query: Query,
  paymentId: string,
  priceId: string | undefined,
  at: Date,
): Promise<number | undefined> {
  const { rows } = await query<{ from_credits: number | null }>(
    `select from_credits from price_move_items i join price_moves m on m.id = i.move_id
     where i.payment_id = $1 and i.status = 'moved' and m.price_id = $2 and i.applies_at > $3
     order by m.started_at desc limit 1`,
    [paymentId, priceId ?? null, at],
  );
  return rows[0]?.from_credits ?? creditsOfPrice(query, priceId);
}
