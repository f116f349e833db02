import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { OfferStore } from '../offers/offer-store.ts';
import { offeredPackage, offeredPlan, offeredRental, type Offered } from '../prices/offered.ts';
import type { Fulfil, FulfilGiven } from './fulfilment.ts';
import { notOffered, type Order } from './order.ts';
import { listOpen, withdrawOrders } from './order-store.ts';

const pageSize = 100;

/**
 * Ends the payment pages of what is no longer offered, or at another price: an open order is marked, so that what is paid for
 * it all the same is given back, and its page is then closed at the provider. Brings the same at each broker and each time.
 * @returns how many were ended
 * @throws SoukError payments_unavailable: the marks are there; the next run closes the pages
 */
export type WithdrawOrders = () => Promise<number>;

export function createWithdrawOrders({
  db,
  provider,
  fulfil,
  offers,
  currency,
  findServer,
  log,
}: Pick<FulfilGiven, 'db' | 'provider' | 'log'> & {
  fulfil: Fulfil;
  offers: Pick<OfferStore, 'plans' | 'packages'>;
  /** Of the plans and packages. */
  currency: string | undefined;
  findServer(id: string): CatalogueServer | undefined;
}): WithdrawOrders {
  /** Finds what is sold now, as often as it is asked: read once a run. */
  async function readOffers(): Promise<(order: Order) => Offered | undefined> {
    const [plans, packages] = await Promise.all([offers.plans(), offers.packages()]);
    const planOf = new Map(plans.map((plan) => [plan.planId, offeredPlan(plan)]));
    const packageOf = new Map(packages.map((one) => [one.packageId, offeredPackage(one)]));
    return ({ kind, itemId }) => {
      if (kind === 'plan') return planOf.get(itemId);
      if (kind === 'credits') return packageOf.get(itemId);
      const server = findServer(itemId);
      return server && offeredRental(server, currency);
    };
  }

  async function close({ id, sessionId }: Order): Promise<void> {
    if (sessionId === undefined) return;
    try {
      await provider.call((stripe) => stripe.checkout.sessions.expire(sessionId));
    } catch (error) {
      // it was paid, or had expired
      if (!isRefusal(error)) throw error;
    }
    await fulfil(sessionId);
    log.info({ orderId: id }, 'a payment page was ended: what it sells is no longer offered in this way');
  }

  return async () => {
    let ended = 0;
    const offerOf = await readOffers();
    const isOffered = (order: Order): boolean => {
      const offer = offerOf(order);
      return offer?.amount === order.amount && offer.currency === order.currency;
    };
    for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
      const page = await listOpen(db.query, provider.livemode, after, pageSize);
      const gone = page.filter((order) => !isOffered(order));
      await withdrawOrders(
        db.query,
        gone.map(({ id }) => id),
        notOffered,
      );
      for (const order of gone) await close(order);
      ended += gone.length;
      const last = page.at(-1);
      if (page.length < pageSize || !last) return ended;
      after = last.id;
    }
  };
}
