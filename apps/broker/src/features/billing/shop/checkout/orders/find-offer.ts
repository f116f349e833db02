import { isDown } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { offeredPackage, offeredPlan, offeredRental, type Offered } from '../../prices/offered.ts';
import type { ChosenRentals } from '../../overlap/end-with-plan.ts';
import type { ShopParts } from '../../shop-parts.ts';
import type { OrderKind, Ordered } from './order.ts';

/** A client's request to pay for something. */
export type Wanted =
  | WantedRental
  | { type: 'credit'; planId: string; shownAmount?: number | undefined }
  | WantedPlan
  | { type: 'price'; priceId: string };

type WantedRental = {
  type: 'rental';
  mcpId: string;
  shownAmount?: number | undefined;
  shownDown?: boolean | undefined;
};

export type WantedPlan = ChosenRentals & { type: 'subscription'; planId: string; shownAmount?: number | undefined };

type Offer = Omit<Ordered, 'shownRentals'>;
type FindParts = Pick<ShopParts, 'offers' | 'prices' | 'currency' | 'findServer'>;

/**
 * Finds what is sold. Prices come only from here: a client says what it wants, and which price it showed.
 * @throws SoukError plan_not_found, not_found, free_plan, price_changed where the page showed another price, service_down where
 *   it showed a failing service as up, invalid_request for what cannot be bought this way, payments_unavailable
 */
export async function findOffer(parts: FindParts, wanted: Wanted): Promise<Offer> {
  if (wanted.type === 'price') return findByPrice(parts, wanted.priceId);
  const found = await (wanted.type === 'rental'
    ? findRental(parts, wanted)
    : wanted.type === 'credit'
      ? findPackage(parts, wanted.planId)
      : findPlan(parts, wanted.planId));
  const { shownAmount } = wanted;
  if (shownAmount !== undefined && shownAmount !== found.amount) throw new SoukError('price_changed');
  return found;
}

async function findPlan(parts: FindParts, planId: string): Promise<Offer> {
  const plan = (await parts.offers.plans()).find((one) => one.planId === planId);
  if (!plan) return refusePlan(parts, planId, 'subscription');
  const offered = offeredPlan(plan);
  if (!offered) throw new SoukError('free_plan');
  return toOffer(parts, 'plan', offered, offered.name, parts.prices.planPriceId(plan));
}

async function findPackage(parts: FindParts, packageId: string): Promise<Offer> {
  const one = (await parts.offers.packages()).find((each) => each.packageId === packageId);
  if (!one) return refusePlan(parts, packageId, 'credit');
  const offered = offeredPackage(one);
  return toOffer(parts, 'credits', offered, offered.name, parts.prices.packagePriceId(one), one.credits + one.bonus);
}

/** @throws SoukError that says whether another kind of offer has the id, or none */
async function refusePlan({ offers }: FindParts, id: string, asked: 'credit' | 'subscription'): Promise<never> {
  if (asked === 'credit' && (await offers.plans()).some(({ planId }) => planId === id))
    throw new SoukError('invalid_request', { message: `planId: ${id} is a plan, not a credit package` });
  if (asked === 'subscription' && (await offers.packages()).some(({ packageId }) => packageId === id))
    throw new SoukError('invalid_request', { message: `planId: ${id} is a credit package, not a plan` });
  throw new SoukError('plan_not_found', {
    message: `Plan ${id} not found in credit packages or system subscriptions`,
  });
}

function findRental(parts: FindParts, { mcpId, shownDown }: WantedRental): Promise<Offer> {
  const server = parts.findServer(mcpId);
  if (!server) throw new SoukError('not_found', { message: `There is no server ${mcpId}` });
  const { name } = server.manifest;
  const offered = offeredRental(server, parts.currency);
  if (!offered) throw new SoukError('invalid_request', { message: `mcpId: ${name} cannot be rented` });
  if (shownDown === false && isDown(server)) throw new SoukError('service_down');
  return toOffer(parts, 'rental', offered, `Rental of ${name}`, parts.prices.rentalPriceId(server));
}

async function findByPrice(parts: FindParts, priceId: string): Promise<Offer> {
  const one = (await parts.offers.packages()).find((each) => parts.prices.packagePriceId(each) === priceId);
  if (one) return findPackage(parts, one.packageId);
  throw new SoukError('invalid_request', { message: 'stripePriceId: is not the price of a credit package' });
}

async function toOffer(
  { prices }: FindParts,
  kind: OrderKind,
  offered: Offered,
  description: string,
  known: string | undefined,
  credits = 0,
): Promise<Offer> {
  const priceId = known ?? (await prices.put(offered)).priceId;
  const { id: itemId, amount, currency } = offered;
  return { kind, itemId, description, priceId, amount, currency, credits };
}
