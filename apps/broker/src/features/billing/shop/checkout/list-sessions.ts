import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { providerPages } from '../provider-pages.ts';
import type { Order } from './orders/order.ts';
import { patience } from './patience.ts';
import { sessionParts, type ProviderSession } from './read-session.ts';

const pageSize = 100;
/** Between our clock and the provider's, and between an order and its session. */
const slackSeconds = 60;
/** Fewer orders than this are requested one by one. */
const worthwhile = 20;

/**
 * Reads the sessions of orders page by page: looks through what the provider made when these orders were made, as long as that
 * takes fewer requests than there are orders. The caller requests each session that is missing in the answer.
 * @param orders sorted by the time of their creation
 * @returns by id of the session
 * @throws SoukError payments_unavailable
 */
export async function listSessions(
  provider: PaymentProvider,
  orders: readonly Order[],
): Promise<ReadonlyMap<string, ProviderSession>> {
  const found = new Map<string, ProviderSession>();
  const wanted = new Set(orders.map(({ sessionId }) => sessionId).filter((id) => id !== undefined));
  const [first, last] = [orders[0], orders.at(-1)];
  if (!first || !last || wanted.size < worthwhile) return found;
  const created = { gte: secondsOf(first) - slackSeconds, lte: secondsOf(last) + slackSeconds };
  const expand = sessionParts.map((part) => `data.${part}`);
  let mayAsk = Math.ceil(wanted.size / worthwhile);
  const pages = providerPages((page) =>
    provider.call((stripe) => stripe.checkout.sessions.list({ created, limit: pageSize, expand, ...page }, patience)),
  );
  for await (const sessions of pages) {
    for (const session of sessions) if (wanted.has(session.id)) found.set(session.id, session);
    mayAsk -= 1;
    if (mayAsk === 0 || found.size === wanted.size) break;
  }
  return found;
}

const secondsOf = ({ createdAt }: Order) => Math.floor(createdAt.getTime() / 1000);
