import type { CreditPackage, Plan } from '@souk/contract/billing/billing.ts';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { Backoff } from '#platform/work/backoff.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import { withPatience } from '../checkout/patience.ts';
import type { OfferStore } from '../offers/offer-store.ts';
import { offeredPackage, offeredPlan, offeredRental, type Offered, type OfferKind } from './offered.ts';
import { createPriceBook, putMissing } from './price-book.ts';
import type { StoredPrice } from './price-store.ts';
import { stagePrice, type ProviderPrice } from './put-price.ts';

/** The prices that users pay, at the payment provider. */
export type Prices = {
  /** Reads from memory; undefined until the provider has the price, and always where nothing is sold. */
  priceOf(kind: OfferKind, id: string): StoredPrice | undefined;
  /** The provider's ids of prices; undefined where the provider has another price than what is offered now. */
  planPriceId(plan: Plan): string | undefined;
  packagePriceId(one: CreditPackage): string | undefined;
  rentalPriceId(server: CatalogueServer): string | undefined;
  /** Whether the provider has the price of a plan or a package as it is offered now. */
  isOffered(offer: { offerId: string; fields: OfferFields }): boolean;
  /** Whether a server is for rent, in the currency of the shop. */
  isSold(server: CatalogueServer): boolean;
  /** Puts a price at the provider now. @throws SoukError payments_unavailable: it is retried in the background */
  put(offered: Offered): Promise<ProviderPrice>;
  /**
   * Sends the provider the rental price of a staged manifest, where it is new or has changed. What is on sale keeps its price
   * until then.
   * @returns undefined where nothing changed, or the provider does not answer: it gets the price when the manifest is deployed
   */
  stageRental(manifest: Manifest): Promise<ProviderPrice | undefined>;
  /** Keeps the provider up to date with what is offered, in the background. Never fails. */
  start(): void;
  /** Call it when offers have changed. */
  refresh(): void;
  /** Resolves when the provider has everything that was offered at the time of the call. */
  synced(): Promise<void>;
  stop(): Promise<void>;
};

/** @param options.provider undefined: nothing is sold */
export async function createPrices(options: {
  db: Pick<Database, 'query'>;
  provider: PaymentProvider | undefined;
  addsTax: boolean;
  offers: OfferStore;
  catalogue: Pick<Catalogue, 'snapshot' | 'onChange'>;
  /** Currency of the plans and packages. */
  currency: string | undefined;
  log: Log;
}): Promise<Prices> {
  const { provider, addsTax, offers, catalogue, currency, log } = options;
  const rentalOf = (server: Pick<CatalogueServer, 'id' | 'manifest'>) => offeredRental(server, currency);
  const book = await createPriceBook(options);
  const backoff = new Backoff();
  const waiting = new Set<() => void>();
  let stopListening = () => {};

  async function offered(): Promise<Offered[]> {
    const [plans, packages] = await Promise.all([offers.plans(), offers.packages()]);
    const { servers } = catalogue.snapshot();
    const all = [...plans.map(offeredPlan), ...packages.map(offeredPackage), ...servers.map(rentalOf)];
    return all.filter((one) => one !== undefined);
  }

  const loop = createWorkLoop({
    async work(stopping) {
      const asked = [...waiting];
      if (provider) await putMissing(provider, book, await offered(), stopping);
      for (const done of asked) {
        done();
        waiting.delete(done);
      }
    },
    failed(error) {
      log.warn({ err: error }, 'the prices could not be sent to the payment provider; they will be retried');
      return backoff.next();
    },
  });

  function refresh(): void {
    if (provider) void loop.run();
  }

  return {
    priceOf: book.priceOf,
    planPriceId: (plan) => book.currentId('plan', plan.planId, plan),
    packagePriceId: ({ packageId, price, currency }) =>
      book.currentId('package', packageId, { amount: price, currency }),
    rentalPriceId({ id, manifest }) {
      const rental = manifest.billing?.rental;
      return rental && book.currentId('rental', id, { amount: rental.price, currency: rental.currency });
    },
    isOffered: ({ offerId, fields }) => book.currentId(fields.kind, offerId, fields) !== undefined,
    isSold: (server) => rentalOf(server) !== undefined,
    async put(one) {
      try {
        return await book.put(one);
      } catch (error) {
        refresh();
        throw error;
      }
    },
    async stageRental(manifest) {
      const { id } = manifest;
      const one = rentalOf({ id, manifest });
      if (!provider || !one || book.currentId('rental', id, one) !== undefined) return undefined;
      const live = catalogue.snapshot().byId.get(id);
      try {
        return await withPatience(live && rentalOf(live) ? stagePrice(provider, one, { addsTax }) : book.put(one));
      } catch (error) {
        log.warn({ err: error, server: id }, 'the price of a staged rental is not at the payment provider yet');
        return undefined;
      }
    },
    start() {
      stopListening = catalogue.onChange((_, changed) => {
        if (changed.map(rentalOf).some((one) => one && !book.isPut(one))) refresh();
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
