import { SoukError } from '#platform/errors.ts';
import type { ShopParts } from '../../shop-parts.ts';
import type { Fulfil } from '../outcome/fulfilment.ts';
import type { Order, Ordered, OrderOptions } from './order.ts';
import { paymentStateOf } from '../outcome/payment-state.ts';
import { countOpenOrders, decideOrder, findOpenOrder, insertOrder, saveShownRentals } from './order-store.ts';

const minuteMs = 60_000;
/** Lifetime of a payment page. The provider's minimum is half an hour. */
const payableMs = 60 * minuteMs;
/** Time that a page must have left to be used again. */
const leftAtLeastMs = 5 * minuteMs;
/** Time for which a request for a session is repeated. Later, its expiry would be too near; no user has seen its session. */
const repeatableMs = 15 * minuteMs;
const maxOpenOrders = 20;
const maxAttempts = 4;

/**
 * Returns the order for a purchase, stored before the first request to the provider: the open one for the same item at the same
 * price, so that clicks and retries lead to one payment page, or else a new one. Closes an open order that does not match.
 * @throws SoukError rate_limited where too many are open, payment_under_way where a payment for the same item is in progress
 */
export async function openOrder(
  parts: Pick<ShopParts, 'db' | 'provider' | 'uuid' | 'clock'> & { fulfil: Fulfil },
  wanted: Ordered & OrderOptions & { userId: string; successUrl: string; cancelUrl: string },
): Promise<Order> {
  const { db, provider, clock } = parts;
  const { query } = db;
  const { livemode } = provider;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const open = await findOpenOrder(query, { ...wanted, livemode });
    if (open && (await canBePaid(open))) {
      await saveShownRentals(query, open, wanted.shownRentals);
      return open;
    }
    if (open) await close(open);
    if ((await countOpenOrders(query, wanted.userId, livemode)) >= maxOpenOrders)
      throw new SoukError('rate_limited', {
        message: 'Too many payments are open. Finish one of them, or try again in an hour.',
      });
    const now = clock.now();
    const order: Order = {
      ...wanted,
      id: parts.uuid(),
      livemode,
      status: 'open',
      sessionId: undefined,
      checkoutUrl: undefined,
      subscriptionId: undefined,
      paymentIntentId: undefined,
      reason: undefined,
      trouble: undefined,
      replaces: [],
      createdAt: new Date(now),
      expiresAt: new Date(Math.floor((now + payableMs) / 1000) * 1000),
      paid: undefined,
    };
    if (await insertOrder(query, order)) return order;
  }
  throw new SoukError('payments_unavailable');

  async function canBePaid(order: Order): Promise<boolean> {
    const { priceId, amount, currency, asksTax, allowsCodes } = order;
    const isSamePrice = priceId === wanted.priceId && amount === wanted.amount && currency === wanted.currency;
    // its page was made before the operator switched tax or codes on or off
    const isSame = isSamePrice && asksTax === wanted.asksTax && allowsCodes === wanted.allowsCodes;
    const now = clock.now();
    // withdrawn, and offered again since
    if (order.reason !== undefined) return false;
    if (!isSame || order.expiresAt.getTime() - now < leftAtLeastMs) return false;
    if (order.sessionId === undefined) return now - order.createdAt.getTime() < repeatableMs;
    const payment = await parts.fulfil(order.sessionId);
    return payment?.order.status === 'open' && payment.session.status === 'open';
  }

  /** Ends the page first; a payment that it took in the meantime counts. */
  async function close({ id, sessionId }: Order): Promise<void> {
    const payment = sessionId === undefined ? undefined : await parts.fulfil(sessionId);
    if (payment?.order.status === 'open' && paymentStateOf(payment.session) === 'processing')
      throw new SoukError('payment_under_way');
    if (payment?.session.status === 'open')
      await provider.call((stripe) => stripe.checkout.sessions.expire(payment.session.id));
    await decideOrder(query, id, ['open'], { status: 'expired', at: new Date(clock.now()) });
  }
}
