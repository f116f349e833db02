import { otherServers } from '@souk/contract/usage.ts';
import type { Popularity } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { createKeptValue } from '#platform/work/kept-value.ts';
import type { Log } from '#platform/log.ts';

const days = 30;
const dayMs = 86_400_000;
/** The statement reads a month of sums by day. */
const keptMs = 60 * 60_000;
const failedMs = 5 * 60_000;
/** Servers in the order; those behind them stand by name. */
const maxServers = 10_000;

type Row = { server_id: string; people: number; calls: number };

/**
 * How many people used each server in the last 30 days (UTC), and how often: what was answered alone, so that a server is not
 * popular for failing. Read from memory, and from the sums by day once an hour.
 */
export function useOfServers({ query, clock, log }: { query: Query; clock: Clock; log: Log }): () => Popularity {
  const kept = createKeptValue<Popularity>({
    async read() {
      const firstDay = new Date(clock.now() - (days - 1) * dayMs).toISOString().slice(0, 10);
      const { rows } = await query<Row>(text, [firstDay, maxServers]);
      return new Map(rows.map(({ server_id: id, people, calls }) => [id, { people, calls }]));
    },
    first: new Map(),
    keptMs,
    failedMs,
    clock,
    onFailure: (error) => log.warn({ err: error }, 'how much servers are used cannot be read'),
  });
  return () => kept.last();
}

const text = `
  select server_id, count(*)::int as people, sum(calls)::bigint as calls
  from (
    select server_id, user_id, sum(answered) as calls from usage_by_day
    where day >= $1::date and kind = 'tool' and server_id not in ('', '${otherServers}')
    group by server_id, user_id having sum(answered) > 0) used
  group by server_id order by people desc, calls desc limit $2`;
