import type { ShopParts } from '../../shop-parts.ts';
import { offeredPackage, offeredPlan, offeredRental, type Offered } from '../../prices/offered.ts';
import { notOffered, priceChanged, type Order } from './order.ts';

type Offer = Offered & { credits?: number };

export async function readOffered(
  parts: Pick<ShopParts, 'offers' | 'currency' | 'findServer'>,
): Promise<(order: Order) => Offer | undefined> {
  const { offers, currency, findServer } = parts;
  const [plans, packages] = await Promise.all([offers.plans(), offers.packages()]);
  const planOf = new Map(plans.map((plan) => [plan.planId, offeredPlan(plan)]));
  const packageOf = new Map(
    packages.map((one) => [one.packageId, { ...offeredPackage(one), credits: one.credits + one.bonus }]),
  );
  return ({ kind, itemId }) => {
    if (kind === 'plan') return planOf.get(itemId);
    if (kind === 'credits') return packageOf.get(itemId);
    const server = findServer(itemId);
    return server && offeredRental(server, currency);
  };
}

/**
 * Finds why an order can no longer be paid as it is; undefined where it can.
 * @param monthlyCredits credits that a plan brings at the price of the order, where that is known
 */
export function faultOf(
  order: Order,
  offer: Offer | undefined,
  monthlyCredits: number | undefined,
): string | undefined {
  if (!offer) return notOffered;
  if (offer.amount !== order.amount || offer.currency !== order.currency) return priceChanged;
  if (offer.credits !== undefined && offer.credits !== order.credits) return priceChanged;
  if (order.kind !== 'plan' || monthlyCredits === undefined) return undefined;
  return monthlyCredits === offer.monthlyCredits ? undefined : priceChanged;
}
