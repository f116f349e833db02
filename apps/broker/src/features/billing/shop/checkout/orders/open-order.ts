import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Fulfil } from '../outcome/fulfilment.ts';
import type { Order, Ordered, OrderOptions } from './order.ts';
import { paymentStateOf } from '../outcome/payment-state.ts';
import { countOpenOrders, decideOrder, findOpenOrder, insertOrder, saveShownRentals } from './order-store.ts';

const minuteMs = 60_000;
/** The provider allows half an hour at least. */
const payableMs = 60 * minuteMs;
/** A page that is about to expire is of no use. */
const leftAtLeastMs = 5 * minuteMs;
/**
 * After this time a request for a session is not repeated: its expiry would be too near. The session that it may have made
 * has no reader.
 */
const repeatableMs = 15 * minuteMs;
const maxOpenOrders = 20;
const maxTurns = 4;

/**
 * The order for a purchase, in the database before the provider hears of it: the one that is open for the same thing at the
 * same price, so that clicks and retries lead to one payment page, or a new one. An open order that does not fit is closed.
 * @throws SoukError rate_limited where too many are open, payment_under_way where one for the same thing is on its way
 */
export async function openOrder(
  given: { query: Query; provider: PaymentProvider; fulfil: Fulfil; uuid: () => string; clock: Clock },
  wanted: Ordered & OrderOptions & { userId: string; successUrl: string; cancelUrl: string },
): Promise<Order> {
  const { query, provider, clock } = given;
  const { livemode } = provider;
  for (let turn = 0; turn < maxTurns; turn += 1) {
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
      id: given.uuid(),
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
    // marked as no longer offered, and offered again since
    if (order.reason !== undefined) return false;
    if (!isSame || order.expiresAt.getTime() - now < leftAtLeastMs) return false;
    if (order.sessionId === undefined) return now - order.createdAt.getTime() < repeatableMs;
    const payment = await given.fulfil(order.sessionId);
    return payment?.order.status === 'open' && payment.session.status === 'open';
  }

  /** Its page stops taking money first; if it has taken some meanwhile, that counts. */
  async function close({ id, sessionId }: Order): Promise<void> {
    const payment = sessionId === undefined ? undefined : await given.fulfil(sessionId);
    if (payment?.order.status === 'open' && paymentStateOf(payment.session) === 'processing')
      throw new SoukError('payment_under_way');
    if (payment?.session.status === 'open')
      await provider.call((stripe) => stripe.checkout.sessions.expire(payment.session.id));
    await decideOrder(query, id, ['open'], { status: 'expired', at: new Date(clock.now()) });
  }
}
