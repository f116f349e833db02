import type { CreditPackage, Plan } from '@souk/contract/billing/billing.ts';
import type { CreditPrice, IncludingPlan } from '@souk/contract/catalogue/catalogue.ts';
import { creditPriceOf } from '@souk/contract/billing/credit-worth.ts';
import { tiers } from '@souk/contract/tiers.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import type { OfferStore } from './offer-store.ts';

/** What lists of servers tell of the offers on sale, from memory: such lists wait for no database. */
export type ShownOffers = {
  /** The cheapest plan on sale that includes a server; undefined for a free one, and where no plan does. */
  planOf(server: Pick<CatalogueServer, 'manifest'>): IncludingPlan | undefined;
  /** Pages say this worth of a credit; undefined where none are sold. */
  creditPrice(): CreditPrice | undefined;
  /** The offers have changed. Never fails: a failed read leaves what was read before, and is repeated. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
};

const repeatMs = 5_000;

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
      log.warn({ err: error }, 'the offers could not be read for the lists of servers; it is tried again');
      return repeatMs;
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
