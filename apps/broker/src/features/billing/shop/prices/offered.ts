import { amountFault, currencyFault } from '@souk/contract/billing/currencies.ts';
import type { CreditPackage, Plan } from '@souk/contract/billing/billing.ts';
import { presentBilling, type CatalogueServer } from '#features/catalogue/index.ts';
import { counted } from '../offers/offer-words.ts';

export type OfferKind = 'plan' | 'package' | 'rental';

/** Something that is sold for money: a plan or a rental by the month, a package once. */
export type Offered = {
  kind: OfferKind;
  /** Id of the plan, the package or the server. */
  id: string;
  name: string;
  description: string;
  /** Cents. */
  amount: number;
  /** ISO code in capitals. */
  currency: string;
  /** Credits of a plan, which subscribers keep together with their price. */
  monthlyCredits?: number;
};

/** @returns undefined for a free plan */
export function offeredPlan(plan: Plan): Offered | undefined {
  const { planId: id, name, description, amount, currency, monthlyCredits } = plan;
  if (amount === 0) return undefined;
  return { kind: 'plan', id, name: `${name} plan`, description, amount, currency, monthlyCredits };
}

export function offeredPackage({ packageId, name, credits, bonus, price, currency }: CreditPackage): Offered {
  const description = 'Credits for calls that have a price. They never expire.';
  // payment pages and receipts show only the name
  return {
    kind: 'package',
    id: packageId,
    name: `${name}: ${counted(credits + bonus, 'credit')}`,
    description,
    amount: price,
    currency,
  };
}

/**
 * @param currency the shop's: a rental in another currency is not sold
 * @returns undefined where the server is not for rent, or the provider could not charge its price
 */
export function offeredRental(
  server: Pick<CatalogueServer, 'id' | 'manifest'>,
  currency: string | undefined,
): Offered | undefined {
  const rental = presentBilling(server.manifest)?.rental;
  if (!rental) return undefined;
  if (currency !== undefined && rental.currency !== currency) return undefined;
  if (currencyFault(rental.currency) ?? amountFault(rental.price, rental.currency)) return undefined;
  const { name, description, price: amount } = rental;
  return { kind: 'rental', id: server.id, name, description, amount, currency: rental.currency };
}
