import { leastPeopleInCommon } from '@souk/contract/catalogue/related-servers.ts';
import { otherServers } from '@souk/contract/usage.ts';
import type { UsedTogether } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import { inBackground } from '#platform/db/background-work.ts';
import type { Query } from '#platform/db/database.ts';
import { createKeptValue } from '#platform/work/kept-value.ts';
import type { Log } from '#platform/log.ts';

const days = 30;
const dayMs = 86_400_000;
/** The statement reads a month of sums by day. */
const keptMs = 60 * 60_000;
const failedMs = 5 * 60_000;
/** A sample of people bounds the pairs: of 10,000 people with 12 servers each they take about a second of the embedded database. */
const maxPeople = 2_000;
/** Servers of one person, the most used first: the pairs grow with their square. */
const maxServersOfPerson = 10;
/** More than a page shows: some of them may not be deployed any more. */
const maxPerServer = 8;
const maxRows = 50_000;

/**
 * Which servers the same people used in the last 30 days (UTC), with an answer at least. Read from memory, and from the sums
 * by day once an hour, for the pages of all servers together; nothing waits for it.
 */
export function serversUsedTogether({
  query,
  clock,
  log,
}: {
  query: Query;
  clock: Clock;
  log: Log;
}): () => UsedTogether {
  const kept = createKeptValue<UsedTogether>({
    async read() {
      const firstDay = new Date(clock.now() - (days - 1) * dayMs).toISOString().slice(0, 10);
      const { rows } = await inBackground(() => query<{ server_id: string; others: string[] }>(text, [firstDay]));
      return new Map(rows.map(({ server_id: id, others }) => [id, others]));
    },
    first: new Map(),
    keptMs,
    failedMs,
    clock,
    onFailure: (error) => log.warn({ err: error }, 'which servers are used together cannot be read'),
  });
  return () => kept.last();
}

/**
 * Close are two servers that many people have in common for how many people the other has (the cosine, whose other part is
 * the same for the whole list): else the one that everyone uses would stand beside each. How many people a server has is
 * its pair with itself. No step joins two large sets: without statistics a database would choose nested loops.
 */
const text = `
  with used as (
    select user_id, server_id, sum(answered) as calls from usage_by_day
    where day >= $1::date and kind = 'tool' and server_id not in ('', '${otherServers}')
    group by user_id, server_id having sum(answered) > 0),
  people as (
    select (array_agg(server_id order by calls desc, server_id))[1:${maxServersOfPerson}] as servers from used
    group by user_id having count(*) > 1
    -- by a hash: those who came first are no sample of all
    order by hashtext(user_id::text), user_id limit ${maxPeople}),
  pairs as (
    select server_id, other_id, count(*) as people
    from people, unnest(servers) server_id, unnest(servers) other_id
    group by server_id, other_id having count(*) >= ${leastPeopleInCommon}),
  weighed as (
    select server_id, other_id, people / sqrt(max(people) filter (where server_id = other_id)
      over (partition by other_id)) as closeness
    from pairs),
  placed as (
    select server_id, other_id, row_number() over (partition by server_id order by closeness desc, other_id) as place
    from weighed where server_id <> other_id)
  select server_id, array_agg(other_id order by place) as others
  from placed where place <= ${maxPerServer} group by server_id limit ${maxRows}`;
