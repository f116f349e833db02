import type { Query } from '#platform/db/database.ts';
import { readRows } from '../../read-rows.ts';
import type { Offered } from './offered.ts';
import { recordPlanPrice } from './plan-prices.ts';
import type { ProviderPrice } from './put-price.ts';

export type StoredPrice = ProviderPrice &
  Pick<Offered, 'kind' | 'id' | 'amount' | 'currency'> & { monthlyCredits: number | undefined };

export function readPrices(query: Query, livemode: boolean): Promise<StoredPrice[]> {
  return readRows(
    query,
    `select kind, offer_id as id, product_id as "productId", price_id as "priceId", amount, currency,
       monthly_credits as "monthlyCredits"
     from provider_prices where livemode = $1`,
    [livemode],
  );
}

export async function writePrice(query: Query, livemode: boolean, price: StoredPrice): Promise<void> {
  const { kind, id, productId, priceId, amount, currency, monthlyCredits } = price;
  await query(
    `insert into provider_prices (livemode, kind, offer_id, product_id, price_id, amount, currency, monthly_credits)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (livemode, kind, offer_id) do update set product_id = excluded.product_id,
       price_id = excluded.price_id, amount = excluded.amount, currency = excluded.currency,
       monthly_credits = excluded.monthly_credits`,
    [livemode, kind, id, productId, priceId, amount, currency, monthlyCredits ?? null],
  );
  if (monthlyCredits !== undefined)
    await recordPlanPrice(query, { priceId, planId: id, amount, currency, monthlyCredits });
}
