import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { providerPages } from '../provider-pages.ts';
import type { Order } from './orders/order.ts';
import { patience } from './patience.ts';
import { sessionParts, type ProviderSession } from './read-session.ts';

const pageSize = 100;
/** Allowed difference between our clock and the provider's, and between an order and its session. */
const slackSeconds = 60;
/** Fewer orders than this are requested one by one. */
const minOrders = 20;

/**
 * Reads the sessions of many orders with few requests: lists the sessions that were created when these orders were, one page
 * for every 20 orders at most. The caller requests each session that is missing in the answer.
 * @param orders sorted by the time of their creation
 * @returns sessions by their id
 * @throws SoukError payments_unavailable
 */
export async function listSessions(
  provider: PaymentProvider,
  orders: readonly Order[],
): Promise<ReadonlyMap<string, ProviderSession>> {
  const found = new Map<string, ProviderSession>();
  const wanted = new Set(orders.map(({ sessionId }) => sessionId).filter((id) => id !== undefined));
  const [first, last] = [orders[0], orders.at(-1)];
  if (!first || !last || wanted.size < minOrders) return found;
  const created = { gte: secondsOf(first) - slackSeconds, lte: secondsOf(last) + slackSeconds };
  const expand = sessionParts.map((part) => `data.${part}`);
  let pagesLeft = Math.ceil(wanted.size / minOrders);
  const pages = providerPages((page) =>
    provider.call((stripe) => stripe.checkout.sessions.list({ created, limit: pageSize, expand, ...page }, patience)),
  );
  for await (const sessions of pages) {
    for (const session of sessions) if (wanted.has(session.id)) found.set(session.id, session);
    pagesLeft -= 1;
    if (pagesLeft === 0 || found.size === wanted.size) break;
  }
  return found;
}

const secondsOf = ({ createdAt }: Order) => Math.floor(createdAt.getTime() / 1000);
