import type { Query } from '#platform/db/database.ts';

export type WebhookFigures = {
  lastEventAt: Date | undefined;
  /** From the arrival of the last handled event to the end of its processing. */
  lastDelayMs: number | undefined;
  waiting: number;
  /** Waiting events whose last attempt failed. */
  failing: number;
};

/** Reads the figures about the provider's events. Both queries use an index. */
export async function readWebhookFigures(query: Query): Promise<WebhookFigures> {
  const { rows } = await query<{ received: Date; done: Date }>(
    `select received_at as received, done_at as done from payment_events
     where done_at is not null order by done_at desc limit 1`,
  );
  const [waiting] = (
    await query<{ waiting: number; failing: number; last: Date | null }>(
      `select count(*)::int as waiting, count(error)::int as failing, max(received_at) as last
       from payment_events where next_at is not null`,
    )
  ).rows;
  const [last] = rows;
  const times = [last?.received, waiting?.last].flatMap((at) => at?.getTime() ?? []);
  return {
    lastEventAt: times.length === 0 ? undefined : new Date(Math.max(...times)),
    lastDelayMs: last && last.done.getTime() - last.received.getTime(),
    waiting: waiting?.waiting ?? 0,
    failing: waiting?.failing ?? 0,
  };
}
