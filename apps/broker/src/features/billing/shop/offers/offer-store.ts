import type { CreditPackage, Plan } from '@souk/contract/billing/billing.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { loadOffers, type IgnoredChange } from './load-offers.ts';
import type { Offers } from './read-offers.ts';

type PlanRow = {
  plan_id: string;
  name: string;
  description: string;
  tier: Plan['tier'];
  amount: number;
  currency: string;
  period: 'month';
  features: string[];
  monthly_credits: number;
  active: boolean;
  popular: boolean;
};
type PackageRow = {
  package_id: string;
  name: string;
  credits: number;
  bonus: number;
  price: number;
  currency: string;
  popular: boolean;
};

/** The plans and packages that are sold, as rows. */
export type OfferStore = {
  /** Brings the rows up to offers.json (load-offers.ts). @returns what of it does not count, since it was edited here */
  replace(offers: Offers): Promise<IgnoredChange[]>;
  /** Those that are sold, in the order of the offers. */
  plans(): Promise<Plan[]>;
  packages(): Promise<CreditPackage[]>;
};

export function createOfferStore(
  db: { query: Query; transaction<T>(work: (query: Query) => Promise<T>): Promise<T> },
  clock: Clock,
): OfferStore {
  return {
    replace: (offers) => db.transaction((query) => loadOffers(query, offers, clock.now())),
    async plans() {
      const { rows } = await db.query<PlanRow>(
        'select * from plans where active order by position, edited_at is null, plan_id',
      );
      return rows.map(presentPlan);
    },
    async packages() {
      const { rows } = await db.query<PackageRow>(
        'select * from credit_packages where active order by position, edited_at is null, package_id',
      );
      return rows.map(presentPackage);
    },
  };
}

function presentPlan(row: PlanRow): Plan {
  return {
    planId: row.plan_id,
    name: row.name,
    description: row.description,
    amount: row.amount,
    currency: row.currency,
    period: row.period,
    features: row.features,
    priceId: null,
    active: row.active,
    tier: row.tier,
    monthlyCredits: row.monthly_credits,
    popular: row.popular,
  };
}

function presentPackage(row: PackageRow): CreditPackage {
  return {
    packageId: row.package_id,
    name: row.name,
    credits: row.credits,
    bonus: row.bonus,
    price: row.price,
    currency: row.currency,
    stripePriceId: null,
    popular: row.popular,
  };
}
