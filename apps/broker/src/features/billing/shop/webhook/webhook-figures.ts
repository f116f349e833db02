import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../read-rows.ts';

export type WebhookFigures = {
  lastEventAt: Date | undefined;
  /** From the arrival of the last handled event to the end of its processing. */
  lastDelayMs: number | undefined;
  waiting: number;
  /** Waiting events whose last attempt failed. */
  failing: number;
};

/** Reads the figures about the provider's events. Both parts of the statement use an index. */
export async function readWebhookFigures(query: Query): Promise<WebhookFigures> {
  type Row = { received: Date; done: Date; last: Date; waiting: number; failing: number };
  const row = await readRow<Pick<Row, 'waiting' | 'failing'> & Partial<Row>>(
    query,
    `select w.*, d.received, d.done from (
       select count(*)::int as waiting, count(error)::int as failing, max(received_at) as last
       from payment_events where next_at is not null) w
     left join (
       select received_at as received, done_at as done from payment_events
       where done_at is not null order by done_at desc limit 1) d on true`,
  );
  const { received, done, last, waiting = 0, failing = 0 } = row ?? {};
  const times = [received, last].flatMap((at) => at?.getTime() ?? []);
  return {
    lastEventAt: times.length === 0 ? undefined : new Date(Math.max(...times)),
    lastDelayMs: done && received && done.getTime() - received.getTime(),
    waiting,
    failing,
  };
}
