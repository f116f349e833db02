import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { idOf } from '../checkout/read-session.ts';
import type { TakeBack } from './create-take-back.ts';

const dayMs = 24 * 60 * 60_000;
/** A bank decides within months. Of an older dispute, one that is open here is asked for by its id. */
const openedWithinMs = 200 * dayMs;
const pageSize = 100;
const mostPages = 500;
const mostOfOpen = 500;

/**
 * Reads the disputes of the provider that are not known here as they are now, because their event did not arrive, or came
 * before they were stored. What follows from each is done as for its event.
 * @returns how many differed
 */
export function createFindMissedDisputes(given: {
  query: Query;
  provider: PaymentProvider;
  takeBack: Pick<TakeBack, 'dispute'>;
  clock: Clock;
  log: Log;
}): () => Promise<number> {
  const { query, provider, log } = given;

  async function differingOf(disputes: readonly Stripe.Dispute[]): Promise<string[]> {
    const asked = disputes.map((one) => ({
      id: one.id,
      status: one.status,
      amount: one.amount,
      due: one.evidence_details.due_by ?? null,
      intent: idOf(one.payment_intent) ?? null,
    }));
    const { rows } = await query<{ id: string }>(
      `select a.id from jsonb_to_recordset($1::jsonb) as a(id text, status text, amount bigint, due bigint, intent text)
       where not exists (select from disputes d where d.id = a.id and d.status = a.status and d.amount = a.amount
         and d.due_by is not distinct from to_timestamp(a.due) and d.payment_intent_id is not distinct from a.intent)`,
      [JSON.stringify(asked)],
    );
    return rows.map(({ id }) => id);
  }

  /** One that cannot be followed now, such as of a payment that is not recorded yet, does not keep the others. */
  async function follow(id: string): Promise<boolean> {
    try {
      await given.takeBack.dispute(id);
      return true;
    } catch (error) {
      log.error({ err: error, dispute: id }, 'a dispute of the payment provider could not be followed');
      return false;
    }
  }

  return async () => {
    let found = 0;
    const since = given.clock.now() - openedWithinMs;
    const gte = Math.floor(since / 1000);
    let after: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const { data, has_more: hasMore } = await provider.call((stripe) =>
        stripe.disputes.list({
          created: { gte },
          limit: pageSize,
          ...(after !== undefined && { starting_after: after }),
        }),
      );
      for (const id of await differingOf(data)) if (await follow(id)) found += 1;
      after = data.at(-1)?.id;
      if (!hasMore || after === undefined) break;
    }
    const { rows } = await query<{ id: string }>(
      `select id from disputes where livemode = $1 and opened_at < $2
         and status not in ('won', 'lost', 'prevented', 'warning_closed') order by opened_at desc limit ${mostOfOpen}`,
      [provider.livemode, new Date(since)],
    );
    for (const { id } of rows) await follow(id);
    return found;
  };
}
