import type { Query } from '#platform/db/database.ts';
import type { OfferKind, Offered } from './offered.ts';
import { notePlanPrice } from './plan-prices.ts';
import type { ProviderPrice } from './put-price.ts';

/** A price that was put at the provider, with what it was put for. */
export type StoredPrice = ProviderPrice & Pick<Offered, 'kind' | 'id' | 'amount' | 'currency' | 'monthlyCredits'>;

export type PriceStore = {
  read(): Promise<StoredPrice[]>;
  write(price: StoredPrice): Promise<void>;
};

export function createPriceStore({ query }: { query: Query }, livemode: boolean): PriceStore {
  return {
    async read() {
      const { rows } = await query<{
        kind: OfferKind;
        offer_id: string;
        product_id: string;
        price_id: string;
        amount: number;
        currency: string;
        monthly_credits: number | null;
      }>('select * from provider_prices where livemode = $1', [livemode]);
      return rows.map(({ kind, offer_id: id, product_id: productId, price_id: priceId, monthly_credits, ...row }) => ({
        kind,
        id,
        productId,
        priceId,
        amount: row.amount,
        currency: row.currency,
        ...(monthly_credits !== null && { monthlyCredits: monthly_credits }),
      }));
    },
    async write({ kind, id, productId, priceId, amount, currency, monthlyCredits }) {
      await query(
        `insert into provider_prices (livemode, kind, offer_id, product_id, price_id, amount, currency, monthly_credits)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (livemode, kind, offer_id) do update set product_id = excluded.product_id,
           price_id = excluded.price_id, amount = excluded.amount, currency = excluded.currency,
           monthly_credits = excluded.monthly_credits`,
        [livemode, kind, id, productId, priceId, amount, currency, monthlyCredits ?? null],
      );
      if (monthlyCredits !== undefined)
        await notePlanPrice(query, { priceId, planId: id, amount, currency, monthlyCredits });
    },
  };
}
