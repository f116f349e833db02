import type { CreditPackage, Plan } from '@souk/contract/billing.ts';
import type { Query } from '#platform/db/database.ts';
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
};
type PackageRow = {
  package_id: string;
  name: string;
  credits: number;
  bonus: number;
  price: number;
  currency: string;
};

/** The plans and packages that are sold, as rows. */
export type OfferStore = {
  /** Brings the rows up to what is offered now. A plan that left the offers stays for those who have it, and cannot be bought. */
  replace(offers: Offers): Promise<void>;
  /** Those that are sold, in the order of the offers. */
  plans(): Promise<Plan[]>;
  packages(): Promise<CreditPackage[]>;
};

export function createOfferStore(db: {
  query: Query;
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
}): OfferStore {
  return {
    replace: (offers) =>
      db.transaction(async (query) => {
        await query(
          `insert into plans
             (plan_id, name, description, tier, amount, currency, period, features, monthly_credits, active, position)
           select plan->>'planId', plan->>'name', plan->>'description', plan->>'tier', (plan->>'amount')::bigint,
             plan->>'currency', plan->>'period', plan->'features', (plan->>'monthlyCredits')::bigint, true, position
           from jsonb_array_elements($1::jsonb) with ordinality as offered (plan, position)
           on conflict (plan_id) do update set name = excluded.name, description = excluded.description,
             tier = excluded.tier, amount = excluded.amount, currency = excluded.currency, period = excluded.period,
             features = excluded.features, monthly_credits = excluded.monthly_credits, active = true,
             position = excluded.position`,
          [JSON.stringify(offers.plans)],
        );
        await query(
          `insert into credit_packages (package_id, name, credits, bonus, price, currency, active, position)
           select offer->>'packageId', offer->>'name', (offer->>'credits')::bigint, (offer->>'bonus')::bigint,
             (offer->>'price')::bigint, offer->>'currency', true, position
           from jsonb_array_elements($1::jsonb) with ordinality as offered (offer, position)
           on conflict (package_id) do update set name = excluded.name, credits = excluded.credits,
             bonus = excluded.bonus, price = excluded.price, currency = excluded.currency, active = true,
             position = excluded.position`,
          [JSON.stringify(offers.packages)],
        );
        await query('update plans set active = false where active and not (plan_id = any ($1::text[]))', [
          offers.plans.map(({ planId }) => planId),
        ]);
        await query('update credit_packages set active = false where active and not (package_id = any ($1::text[]))', [
          offers.packages.map(({ packageId }) => packageId),
        ]);
      }),
    async plans() {
      const { rows } = await db.query<PlanRow>('select * from plans where active order by position');
      return rows.map(presentPlan);
    },
    async packages() {
      const { rows } = await db.query<PackageRow>('select * from credit_packages where active order by position');
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
  };
}
