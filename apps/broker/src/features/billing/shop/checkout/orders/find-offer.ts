import { isDown } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { offeredPackage, offeredPlan, offeredRental, type Offered } from '../../prices/offered.ts';
import type { ShopParts } from '../../shop-parts.ts';
import type { ChosenRentals } from '../../overlap/end-with-plan.ts';
import type { OrderKind, Ordered } from './order.ts';

/** What a client asks to pay for. */
export type Wanted =
  | WantedRental
  | { type: 'credit'; planId: string; shownAmount?: number | undefined }
  | WantedPlan
  | { type: 'price'; priceId: string };

export type WantedRental = {
  type: 'rental';
  mcpId: string;
  shownAmount?: number | undefined;
  shownDown?: boolean | undefined;
};

export type WantedPlan = ChosenRentals & {
  type: 'subscription';
  planId: string;
  shownAmount?: number | undefined;
};

/** An order before it is known which rentals the page listed. */
type Offer = Omit<Ordered, 'shownRentals'>;

/** Finds what is sold. Prices come only from here: a client says what it wants, and which price it showed. */
export type OfferFinder = {
  /**
   * @throws SoukError plan_not_found, not_found, free_plan, price_changed where the page showed another price,
   *   service_down where it showed a failing service as up,
   *   invalid_request for what cannot be bought this way, payments_unavailable
   */
  find(wanted: Wanted): Promise<Offer>;
};

export function createOfferFinder({
  offers,
  prices,
  currency,
  findServer,
}: Pick<ShopParts, 'offers' | 'prices' | 'currency' | 'findServer'>): OfferFinder {
  async function findPlan(planId: string): Promise<Offer> {
    const plan = (await offers.plans()).find((one) => one.planId === planId);
    if (!plan) return refusePlan(planId, 'subscription');
    const offered = offeredPlan(plan);
    if (!offered) throw new SoukError('free_plan');
    return order('plan', offered, offered.name, prices.planPriceId(plan));
  }

  async function findPackage(packageId: string): Promise<Offer> {
    const one = (await offers.packages()).find((each) => each.packageId === packageId);
    if (!one) return refusePlan(packageId, 'credit');
    const credits = one.credits + one.bonus;
    const offered = offeredPackage(one);
    return order('credits', offered, offered.name, prices.packagePriceId(one), credits);
  }

  /** @throws SoukError that says whether another kind of offer has the id, or none */
  async function refusePlan(id: string, asked: 'credit' | 'subscription'): Promise<never> {
    if (asked === 'credit' && (await offers.plans()).some(({ planId }) => planId === id))
      throw new SoukError('invalid_request', { message: `planId: ${id} is a plan, not a credit package` });
    if (asked === 'subscription' && (await offers.packages()).some(({ packageId }) => packageId === id))
      throw new SoukError('invalid_request', { message: `planId: ${id} is a credit package, not a plan` });
    throw new SoukError('plan_not_found', {
      message: `Plan ${id} not found in credit packages or system subscriptions`,
    });
  }

  function findRental({ mcpId, shownDown }: WantedRental): Promise<Offer> {
    const server = findServer(mcpId);
    if (!server) throw new SoukError('not_found', { message: `There is no server ${mcpId}` });
    const { name } = server.manifest;
    const offered = offeredRental(server, currency);
    if (!offered) throw new SoukError('invalid_request', { message: `mcpId: ${name} cannot be rented` });
    if (shownDown === false && isDown(server)) throw new SoukError('service_down');
    return order('rental', offered, `Rental of ${name}`, prices.rentalPriceId(server));
  }

  async function findByPrice(priceId: string): Promise<Offer> {
    const one = (await offers.packages()).find((each) => prices.packagePriceId(each) === priceId);
    if (one) return findPackage(one.packageId);
    throw new SoukError('invalid_request', { message: 'stripePriceId: is not the price of a credit package' });
  }

  async function order(
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

  return {
    async find(wanted) {
      if (wanted.type === 'price') return findByPrice(wanted.priceId);
      const found = await (wanted.type === 'rental'
        ? findRental(wanted)
        : wanted.type === 'credit'
          ? findPackage(wanted.planId)
          : findPlan(wanted.planId));
      const { shownAmount } = wanted;
      if (shownAmount !== undefined && shownAmount !== found.amount) throw new SoukError('price_changed');
      return found;
    },
  };
}
