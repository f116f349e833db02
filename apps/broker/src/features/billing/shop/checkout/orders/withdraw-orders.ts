import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import { findUnlistedRental } from '../../overlap/find-unlisted-rental.ts';
import { creditsOfPrices } from '../../prices/plan-prices.ts';
import type { ShopParts } from '../../shop-parts.ts';
import type { Fulfil } from '../outcome/fulfilment.ts';
import { hadAccess, notOffered, overlapChanged, priceChanged, type Order } from './order.ts';
import { faultOf, readOffered } from './order-fault.ts';
import { findOwners, listOpen, listOpenOf, withdrawOrders } from './order-store.ts';
import { ownedAlready } from './owned-already.ts';

const pageSize = 100;

/**
 * Ends the payment pages of items that are no longer offered or have another price, of items that the user has got in another
 * way, and of plans that include a rental which the user was not asked about. An open order is marked first, so that a payment
 * that still arrives is refunded; then its page is closed at the provider. Repeatable, on every broker.
 * @throws SoukError payments_unavailable: the orders are marked; the next run closes the pages
 */
export type WithdrawOrders = {
  /** Checks all open orders. @returns how many were ended */
  all(): Promise<number>;
  /** Checks those of a user, after what they own has changed. */
  ofPerson(userId: string): Promise<void>;
};

type WithdrawParts = Pick<ShopParts, 'db' | 'provider' | 'offers' | 'currency' | 'findServer' | 'clock' | 'log'> & {
  fulfil: Fulfil;
};
type Withdrawn = [reason: string, orders: readonly Order[]][];

export function createWithdrawOrders(parts: WithdrawParts): WithdrawOrders {
  const { db, provider } = parts;
  return {
    async all() {
      let ended = 0;
      const offerOf = await readOffered(parts);
      for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
        const page = await listOpen(db.query, provider.livemode, after, pageSize);
        const creditsAt = await creditsOfPrices(
          db.query,
          page.map(({ priceId }) => priceId),
        );
        const faulty = Map.groupBy(page, (order) => faultOf(order, offerOf(order), creditsAt.get(order.priceId)));
        const offered = (faulty.get(undefined) ?? []).filter(({ kind }) => kind !== 'credits');
        const owners = await findOwners(
          db.query,
          provider.livemode,
          offered.map(({ userId }) => userId),
        );
        const judged = await judge(
          parts,
          offered.filter(({ userId }) => owners.has(userId)),
        );
        const priced: Withdrawn = [notOffered, priceChanged].map((reason) => [reason, faulty.get(reason) ?? []]);
        ended += await end(parts, [...priced, ...judged]);
        const last = page.at(-1);
        if (page.length < pageSize || !last) return ended;
        after = last.id;
      }
    },
    async ofPerson(userId) {
      await end(parts, await judge(parts, await listOpenOf(db.query, provider.livemode, userId)));
    },
  };
}

/** Finds the orders to end because of what their buyers own, by reason. */
async function judge({ db, findServer, clock }: WithdrawParts, orders: readonly Order[]): Promise<Withdrawn> {
  const [had, unlisted]: [Order[], Order[]] = [[], []];
  for (const order of orders) {
    const now = { findServer, nowMs: clock.now() };
    if (await ownedAlready(db.query, now, order)) had.push(order);
    else if (await findUnlistedRental(db.query, now, order)) unlisted.push(order);
  }
  return [
    [hadAccess, had],
    [overlapChanged, unlisted],
  ];
}

/** Marks all orders before it closes the first page, which may be slow, or fail. */
async function end(parts: WithdrawParts, withdrawn: Withdrawn): Promise<number> {
  const all = withdrawn.flatMap(([reason, orders]) => orders.map((order) => ({ order, reason })));
  for (const [reason, orders] of withdrawn) {
    const ids = orders.map(({ id }) => id);
    if (ids.length > 0) await withdrawOrders(parts.db.query, ids, reason);
  }
  for (const { order, reason } of all) await close(parts, order, reason);
  return all.length;
}

async function close(
  { provider, fulfil, log }: WithdrawParts,
  { id, sessionId }: Order,
  reason: string,
): Promise<void> {
  if (sessionId === undefined) return;
  try {
    await provider.call((stripe) => stripe.checkout.sessions.expire(sessionId));
  } catch (error) {
    // it was paid, or had expired
    if (!isRefusal(error)) throw error;
  }
  await fulfil(sessionId);
  log.info({ orderId: id, reason }, 'a payment page was ended: its offer is no longer available');
}
