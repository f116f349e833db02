import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { OfferStore } from '../../offers/offer-store.ts';
import { creditsOfPrices } from '../../prices/plan-prices.ts';
import { offeredPackage, offeredPlan, offeredRental, type Offered } from '../../prices/offered.ts';
import type { Fulfil, FulfilGiven } from '../outcome/fulfilment.ts';
import { hadAccess, notOffered, overlapChanged, priceChanged, type Order } from './order.ts';
import { findOwners, listOpen, listOpenOf, withdrawOrders } from './order-store.ts';
import { findUntold } from '../../overlap/find-untold.ts';
import { ownedAlready } from './owned-already.ts';

const pageSize = 100;

/**
 * Ends the payment pages of what is no longer offered, or at another price, of what the person has in another way by now, and of a
 * plan that includes a rental which they were not asked about: an open order is marked, so that what is paid for it all the same is given back, and its page is then closed at the provider.
 * Brings the same at each broker and each time.
 * @throws SoukError payments_unavailable: the marks are there; the next run closes the pages
 */
export type WithdrawOrders = {
  /** All of them. @returns how many were ended */
  all(): Promise<number>;
  /** Those of a person, after what they own has changed. */
  ofPerson(userId: string): Promise<void>;
};

export function createWithdrawOrders({
  db,
  provider,
  fulfil,
  offers,
  currency,
  findServer,
  clock,
  log,
}: Pick<FulfilGiven, 'db' | 'provider' | 'clock' | 'log'> & {
  fulfil: Fulfil;
  offers: Pick<OfferStore, 'plans' | 'packages'>;
  /** Of the plans and packages. */
  currency: string | undefined;
  findServer(id: string): CatalogueServer | undefined;
}): WithdrawOrders {
  /** Finds what is sold now, as often as it is asked: read once a run. */
  async function readOffers(): Promise<(order: Order) => (Offered & { credits?: number }) | undefined> {
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

  async function close({ id, sessionId }: Order, reason: string): Promise<void> {
    if (sessionId === undefined) return;
    try {
      await provider.call((stripe) => stripe.checkout.sessions.expire(sessionId));
    } catch (error) {
      // it was paid, or had expired
      if (!isRefusal(error)) throw error;
    }
    await fulfil(sessionId);
    log.info({ orderId: id, reason }, 'a payment page was ended: what it sells can no longer be had in this way');
  }

  /** All are marked before the first page is closed, which may take its time, or fail. */
  async function end(withdrawn: ReadonlyMap<string, readonly Order[]>): Promise<number> {
    const all = [...withdrawn].flatMap(([reason, orders]) => orders.map((order) => ({ order, reason })));
    for (const [reason, orders] of withdrawn) {
      const ids = orders.map(({ id }) => id);
      if (ids.length > 0) await withdrawOrders(db.query, ids, reason);
    }
    for (const { order, reason } of all) await close(order, reason);
    return all.length;
  }

  /** By what their owners have: those that are to be ended, by the reason. */
  async function judge(orders: readonly Order[]): Promise<[reason: string, orders: readonly Order[]][]> {
    const [had, untold]: [Order[], Order[]] = [[], []];
    for (const order of orders) {
      const now = { findServer, nowMs: clock.now() };
      if (await ownedAlready(db.query, now, order)) had.push(order);
      else if (await findUntold(db.query, now, order)) untold.push(order);
    }
    return [
      [hadAccess, had],
      [overlapChanged, untold],
    ];
  }

  return {
    async all() {
      let ended = 0;
      const offerOf = await readOffers();
      const faultOf = (order: Order): string | undefined => {
        const offer = offerOf(order);
        if (!offer) return notOffered;
        if (offer.amount !== order.amount || offer.currency !== order.currency) return priceChanged;
        if (offer.credits !== undefined && offer.credits !== order.credits) return priceChanged;
        const monthly = order.kind === 'plan' ? pageCredits.get(order.priceId) : undefined;
        return monthly === undefined || monthly === offer.monthlyCredits ? undefined : priceChanged;
      };
      let pageCredits: ReadonlyMap<string, number> = new Map();
      for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
        const page = await listOpen(db.query, provider.livemode, after, pageSize);
        pageCredits = await creditsOfPrices(
          db.query,
          page.map(({ priceId }) => priceId),
        );
        const faulty = Map.groupBy(page, faultOf);
        const offered = (faulty.get(undefined) ?? []).filter(({ kind }) => kind !== 'credits');
        const owners = await findOwners(
          db.query,
          provider.livemode,
          offered.map(({ userId }) => userId),
        );
        const judged = await judge(offered.filter(({ userId }) => owners.has(userId)));
        ended += await end(
          new Map([
            [notOffered, faulty.get(notOffered) ?? []],
            [priceChanged, faulty.get(priceChanged) ?? []],
            ...judged,
          ]),
        );
        const last = page.at(-1);
        if (page.length < pageSize || !last) return ended;
        after = last.id;
      }
    },
    async ofPerson(userId) {
      await end(new Map(await judge(await listOpenOf(db.query, provider.livemode, userId))));
    },
  };
}
