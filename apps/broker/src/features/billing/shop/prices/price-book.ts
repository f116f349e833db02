import { isDeepStrictEqual } from 'node:util';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Database } from '#platform/db/database.ts';
import type { Offered, OfferKind } from './offered.ts';
import { readPrices, writePrice, type StoredPrice } from './price-store.ts';
import { groupsOf, putPrice, readProvider, type AtProvider, type ProviderPrice } from './put-price.ts';

/** The prices that the payment provider has, as far as this broker knows. */
export type PriceBook = {
  priceOf(kind: OfferKind, id: string): StoredPrice | undefined;
  /** The provider's id of a price with these terms; undefined where the known price has other terms. */
  currentId(
    kind: OfferKind,
    id: string,
    terms: { amount: number; currency: string; monthlyCredits?: number | undefined },
  ): string | undefined;
  /** Whether this process has put the offer, with all its texts. */
  isPut(one: Offered): boolean;
  /** Puts a price at the provider. @param found what the provider has of it, where that is known */
  put(one: Offered, found?: AtProvider): Promise<ProviderPrice>;
};

export async function createPriceBook(parts: {
  db: Pick<Database, 'query'>;
  provider: PaymentProvider | undefined;
  addsTax: boolean;
}): Promise<PriceBook> {
  const { db, provider, addsTax } = parts;
  const known = new Map<string, StoredPrice>();
  const done = new Map<string, string>();

  if (provider) for (const price of await readPrices(db.query, provider.livemode)) known.set(keyOf(price), price);

  return {
    priceOf: (kind, id) => known.get(keyOf({ kind, id })),
    currentId(kind, id, { amount, currency, monthlyCredits }) {
      const price = known.get(keyOf({ kind, id }));
      const isCurrent =
        price?.amount === amount && price.currency === currency && price.monthlyCredits === monthlyCredits;
      return isCurrent ? price.priceId : undefined;
    },
    isPut: (one) => done.get(keyOf(one)) === JSON.stringify(one),
    async put(one, found) {
      if (!provider) throw new Error('nothing is sold here');
      const price = await putPrice(provider, one, { found, addsTax });
      const { kind, id, amount, currency, monthlyCredits } = one;
      const stored = { kind, id, amount, currency, monthlyCredits, ...price };
      if (!isDeepStrictEqual(known.get(keyOf(one)), stored)) await writePrice(db.query, provider.livemode, stored);
      known.set(keyOf(one), stored);
      done.set(keyOf(one), JSON.stringify(one));
      return price;
    },
  };
}

/** Puts the offers that this process has not put yet. A price that the provider refuses does not hold up the others. */
export async function putMissing(
  provider: PaymentProvider,
  book: PriceBook,
  offered: readonly Offered[],
  stopping: AbortSignal,
): Promise<void> {
  const refused: unknown[] = [];
  const missing = offered.filter((one) => !book.isPut(one));
  for (const group of groupsOf(missing)) {
    if (stopping.aborted) return;
    const found = await readProvider(provider, group);
    for (const one of group) {
      if (stopping.aborted) return;
      if (book.isPut(one)) continue;
      try {
        await book.put(one, found);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused.push(error);
      }
    }
  }
  if (refused.length > 0) throw refused[0];
}

const keyOf = ({ kind, id }: Pick<Offered, 'kind' | 'id'>): string => `${kind} ${id}`;
