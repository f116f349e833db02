import type { Query } from '#platform/db/database.ts';
import type { OfferKind, Offered } from './offered.ts';
import type { ProviderPrice } from './put-price.ts';

/** A price that was put at the provider, with what it was put for. */
export type StoredPrice = ProviderPrice & Pick<Offered, 'kind' | 'id' | 'amount' | 'currency'>;

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
      }>('select * from provider_prices where livemode = $1', [livemode]);
      return rows.map(({ kind, offer_id: id, product_id: productId, price_id: priceId, amount, currency }) => ({
        kind,
        id,
        productId,
        priceId,
        amount,
        currency,
      }));
    },
    async write({ kind, id, productId, priceId, amount, currency }) {
      await query(
        `insert into provider_prices (livemode, kind, offer_id, product_id, price_id, amount, currency)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (livemode, kind, offer_id) do update set product_id = excluded.product_id,
           price_id = excluded.price_id, amount = excluded.amount, currency = excluded.currency`,
        [livemode, kind, id, productId, priceId, amount, currency],
      );
    },
  };
}
