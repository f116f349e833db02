import { isDeepStrictEqual } from 'node:util';
import type { CreditPackage, Plan } from '@souk/contract/billing/billing.ts';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { Backoff } from '#platform/work/backoff.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import { withPatience } from '../checkout/patience.ts';
import type { OfferStore } from '../offers/offer-store.ts';
import { offeredPackage, offeredPlan, offeredRental, type Offered, type OfferKind } from './offered.ts';
import { createPriceStore, type StoredPrice } from './price-store.ts';
import { groupsOf, putPrice, readProvider, stagePrice, type AtProvider, type ProviderPrice } from './put-price.ts';

/** The prices that people pay, at the payment provider. */
export type Prices = {
  /** From memory; undefined until the provider has it, and always where nothing is sold. */
  priceOf(kind: OfferKind, id: string): StoredPrice | undefined;
  /** Ids of the provider, only of prices that are what is offered now. */
  planPriceId(plan: Plan): string | undefined;
  packagePriceId(one: CreditPackage): string | undefined;
  rentalPriceId(server: CatalogueServer): string | undefined;
  /** Whether the provider has the price of a plan or a package as it is offered now. */
  isOffered(offer: { offerId: string; fields: OfferFields }): boolean;
  /** Whether a server is for rent, in the currency of the shop. */
  isSold(server: CatalogueServer): boolean;
  /**
   * Puts one price at the provider now.
   * @throws SoukError payments_unavailable; the price is then put in the background as soon as the provider answers
   */
  put(offered: Offered): Promise<ProviderPrice>;
  /**
   * Tells the provider of the rental of a manifest that is staged, where it is new or its price is another. What is sold
   * meanwhile keeps its price.
   * @returns undefined where nothing had to be told, or the provider does not answer: it is told when the manifest is deployed
   */
  stageRental(manifest: Manifest): Promise<ProviderPrice | undefined>;
  /** Brings the provider up to what is offered, in the background, from now on. Never fails. */
  start(): void;
  /** Offers have changed. */
  refresh(): void;
  /** Resolves when the provider has everything that was offered at the time of the call. */
  synced(): Promise<void>;
  stop(): Promise<void>;
};

/** @param options.provider undefined: nothing is sold */
export async function createPrices(options: {
  db: { query: Query };
  provider: PaymentProvider | undefined;
  /** Tax comes on top of the prices. */
  addsTax: boolean;
  offers: OfferStore;
  catalogue: Pick<Catalogue, 'snapshot' | 'onChange'>;
  /** Of the plans and packages. */
  currency: string | undefined;
  log: Log;
}): Promise<Prices> {
  const { provider, addsTax, offers, catalogue, currency, log } = options;
  const rentalOf = (server: Pick<CatalogueServer, 'id' | 'manifest'>) => offeredRental(server, currency);
  const store = createPriceStore(options.db, provider?.livemode ?? false);
  const known = new Map<string, StoredPrice>();
  /** What this process has put, with all its texts: it is not put again until it changes. */
  const put = new Map<string, string>();
  const backoff = new Backoff();
  const waiting = new Set<() => void>();
  let stopListening = () => {};

  if (provider) for (const price of await store.read()) known.set(keyOf(price), price);

  const isPut = (one: Offered) => put.get(keyOf(one)) === JSON.stringify(one);

  async function putNow(one: Offered, found?: AtProvider): Promise<ProviderPrice> {
    if (!provider) throw new Error('nothing is sold here');
    const price = await putPrice(provider, one, { found, addsTax });
    const { kind, id, amount, currency, monthlyCredits } = one;
    const stored = { kind, id, amount, currency, ...(monthlyCredits !== undefined && { monthlyCredits }), ...price };
    if (!isDeepStrictEqual(known.get(keyOf(one)), stored)) await store.write(stored);
    known.set(keyOf(one), stored);
    put.set(keyOf(one), JSON.stringify(one));
    return price;
  }

  /** One that the provider refuses does not keep the others back. */
  async function putAll(stopping: AbortSignal): Promise<void> {
    if (!provider) return;
    const refused: unknown[] = [];
    const missing = (await offered()).filter((one) => !isPut(one));
    for (const group of groupsOf(missing)) {
      if (stopping.aborted) return;
      const found = await readProvider(provider, group);
      for (const one of group) {
        if (stopping.aborted) return;
        if (isPut(one)) continue;
        try {
          await putNow(one, found);
        } catch (error) {
          if (!isRefusal(error)) throw error;
          refused.push(error);
        }
      }
    }
    if (refused.length > 0) throw refused[0];
  }

  async function offered(): Promise<Offered[]> {
    const [plans, packages] = await Promise.all([offers.plans(), offers.packages()]);
    const { servers } = catalogue.snapshot();
    const all = [...plans.map(offeredPlan), ...packages.map(offeredPackage), ...servers.map(rentalOf)];
    return all.filter((one) => one !== undefined);
  }

  const loop = createWorkLoop({
    async work(stopping) {
      const asked = [...waiting];
      await putAll(stopping);
      for (const done of asked) {
        done();
        waiting.delete(done);
      }
    },
    failed(error) {
      log.warn({ err: error }, 'the prices could not be brought to the payment provider; it is tried again');
      return backoff.next();
    },
  });

  function refresh(): void {
    if (provider) void loop.run();
  }

  function currentPriceId(
    kind: OfferKind,
    id: string,
    amount: number,
    currency: string,
    monthlyCredits?: number,
  ): string | undefined {
    const price = known.get(keyOf({ kind, id }));
    const isCurrent =
      price?.amount === amount && price.currency === currency && price.monthlyCredits === monthlyCredits;
    return isCurrent ? price.priceId : undefined;
  }

  return {
    priceOf: (kind, id) => known.get(keyOf({ kind, id })),
    planPriceId: ({ planId, amount, currency, monthlyCredits }) =>
      currentPriceId('plan', planId, amount, currency, monthlyCredits),
    packagePriceId: ({ packageId, price, currency }) => currentPriceId('package', packageId, price, currency),
    rentalPriceId({ id, manifest }) {
      const rental = manifest.billing?.rental;
      return rental && currentPriceId('rental', id, rental.price, rental.currency);
    },
    isOffered: ({ offerId, fields: { amount, currency, ...rest } }) =>
      currentPriceId(rest.kind, offerId, amount, currency, rest.kind === 'plan' ? rest.monthlyCredits : undefined) !==
      undefined,
    isSold: (server) => rentalOf(server) !== undefined,
    async put(one) {
      try {
        return await putNow(one);
      } catch (error) {
        refresh();
        throw error;
      }
    },
    async stageRental(manifest) {
      const { id } = manifest;
      const one = rentalOf({ id, manifest });
      if (!provider || !one || currentPriceId('rental', id, one.amount, one.currency) !== undefined) return undefined;
      const live = catalogue.snapshot().byId.get(id);
      try {
        return await withPatience(live && rentalOf(live) ? stagePrice(provider, one, { addsTax }) : putNow(one));
      } catch (error) {
        log.warn({ err: error, server: id }, 'the price of a staged rental is not at the payment provider yet');
        return undefined;
      }
    },
    start() {
      stopListening = catalogue.onChange((_, changed) => {
        if (changed.map(rentalOf).some((one) => one && !isPut(one))) refresh();
      });
      refresh();
    },
    refresh,
    synced() {
      if (!provider) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.add(resolve);
        refresh();
      });
    },
    async stop() {
      stopListening();
      await loop.stop();
    },
  };
}

const keyOf = ({ kind, id }: Pick<Offered, 'kind' | 'id'>): string => `${kind} ${id}`;
