import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Order } from './orders/order.ts';
import { patience } from './patience.ts';
import { sessionParts, type ProviderSession } from './read-session.ts';

/** The most that the provider answers at once. */
const pageSize = 100;
/** Between our clock and the provider's, and between an order and its session. */
const slackSeconds = 60;
/** Fewer are asked for one by one. */
const worthwhile = 20;

/**
 * Reads the sessions of orders by the page. It looks through what the provider made at the time of these orders, as far as
 * that takes fewer requests than there are orders: what is not among them has to be asked for by itself.
 * @param orders that were made one after the other
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
  let mayAsk = Math.ceil(wanted.size / worthwhile);
  let after: string | undefined;
  while (mayAsk > 0 && found.size < wanted.size) {
    mayAsk -= 1;
    const { data, has_more: hasMore } = await provider.call((stripe) =>
      stripe.checkout.sessions.list(
        {
          created,
          limit: pageSize,
          expand: sessionParts.map((part) => `data.${part}`),
          ...(after !== undefined && { starting_after: after }),
        },
        patience,
      ),
    );
    for (const session of data) if (wanted.has(session.id)) found.set(session.id, session);
    after = data.at(-1)?.id;
    if (!hasMore || after === undefined) break;
  }
  return found;
}

const secondsOf = ({ createdAt }: Order) => Math.floor(createdAt.getTime() / 1000);
