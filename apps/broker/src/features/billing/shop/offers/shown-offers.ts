import type { CreditPackage, Plan } from '@souk/contract/billing/billing.ts';
import type { CreditPrice, IncludingPlan } from '@souk/contract/catalogue/catalogue.ts';
import { creditPriceOf } from '@souk/contract/billing/credit-worth.ts';
import { tiers } from '@souk/contract/tiers.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import type { OfferStore } from './offer-store.ts';

/** Offers on sale for lists of servers, from memory: such lists do not wait for the database. */
export type ShownOffers = {
  /** The cheapest plan on sale that includes a server; undefined for a free server, and where no plan includes it. */
  planOf(server: Pick<CatalogueServer, 'manifest'>): IncludingPlan | undefined;
  /** The price of a credit, as pages show it; undefined where none are sold. */
  creditPrice(): CreditPrice | undefined;
  /** Refetches the offers. Never fails: a failed read keeps the previous offers, and is retried. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
};

const retryMs = 5_000;

/** @param offers undefined: nothing is sold */
export async function createShownOffers(
  offers: Pick<OfferStore, 'plans' | 'packages'> | undefined,
  log: Pick<Log, 'warn'>,
): Promise<ShownOffers> {
  const read = async () => {
    const [plans, packages]: [Plan[], CreditPackage[]] = offers
      ? await Promise.all([offers.plans(), offers.packages()])
      : [[], []];
    return { plans, creditPrice: creditPriceOf(packages) };
  };
  let shown = await read();
  const loop = createWorkLoop({
    async work() {
      shown = await read();
    },
    failed(error) {
      log.warn({ err: error }, 'the offers could not be read for the lists of servers; this will be retried');
      return retryMs;
    },
  });

  return {
    planOf: ({ manifest }) => including(shown.plans, manifest.billing?.tier ?? 'T0'),
    creditPrice: () => shown.creditPrice,
    refresh: loop.run,
    stop: loop.stop,
  };
}

function including(plans: readonly Plan[], tier: Plan['tier']): IncludingPlan | undefined {
  const { level } = tiers[tier];
  if (level === 0) return undefined;
  const [cheapest] = plans
    .filter((plan) => plan.amount > 0 && tiers[plan.tier].level >= level)
    .toSorted((a, b) => a.amount - b.amount);
  if (!cheapest) return undefined;
  const { planId, name, amount, currency } = cheapest;
  return { planId, name, amount, currency };
}
