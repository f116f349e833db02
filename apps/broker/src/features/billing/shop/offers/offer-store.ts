import type { CreditPackage, Plan } from '@souk/contract/billing/billing.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { readRows } from '../../read-rows.ts';
import { loadOffers, type IgnoredChange } from './load-offers.ts';
import type { Offers } from './read-offers.ts';

/** The plans and packages that are sold, in their order. */
export type OfferStore = {
  /** Updates the rows from offers.json. @returns changes that do not apply, because the offer was edited here (load-offers.ts) */
  replace(offers: Offers): Promise<IgnoredChange[]>;
  plans(): Promise<Plan[]>;
  packages(): Promise<CreditPackage[]>;
};

export function createOfferStore(db: Pick<Database, 'query' | 'transaction'>, clock: Clock): OfferStore {
  return {
    replace: (offers) => db.transaction((query) => loadOffers(query, offers, clock.now())),
    async plans() {
      const rows = await readRows<Omit<Plan, 'priceId'>>(
        db.query,
        `select plan_id as "planId", name, description, amount, currency, period, features, active, tier,
           monthly_credits as "monthlyCredits", popular
         from plans where active order by position, edited_at is null, plan_id`,
      );
      return rows.map((plan) => ({ ...plan, priceId: null }));
    },
    async packages() {
      const rows = await readRows<Omit<CreditPackage, 'stripePriceId'>>(
        db.query,
        `select package_id as "packageId", name, credits, bonus, price, currency, popular
         from credit_packages where active order by position, edited_at is null, package_id`,
      );
      return rows.map((one) => ({ ...one, stripePriceId: null }));
    },
  };
}
