import { leastPeopleInCommon } from '@souk/contract/catalogue/related-servers.ts';
import { otherServers } from '@souk/contract/usage.ts';
import type { UsedTogether } from '#features/catalogue/index.ts';
import { inBackground } from '#platform/db/background-work.ts';
import { firstShownDay } from './every-day.ts';
import { keepFigures, type FigureParts } from './kept-figures.ts';

/** Users in the sample. The pairs of 10,000 users with 12 servers each take about a second in the embedded database. */
const maxPeople = 2_000;
/** Servers of one user, the most used first: the number of pairs grows with their square. */
const maxServersOfPerson = 10;
/** More than a page shows, because some may no longer be deployed. */
const maxPerServer = 8;
const maxRows = 50_000;

/**
 * The servers that the same users used in the last 30 days (UTC), with at least one answer. Read for the pages of all servers
 * together; nothing waits for it.
 */
export function serversUsedTogether(parts: FigureParts): () => UsedTogether {
  const kept = keepFigures<UsedTogether>(parts, {
    async read() {
      const since = firstShownDay(parts.clock.now());
      const { rows } = await inBackground(() => parts.query<{ server_id: string; others: string[] }>(text, [since]));
      return new Map(rows.map(({ server_id: id, others }) => [id, others]));
    },
    first: new Map(),
    failure: 'which servers are used together cannot be read',
  });
  return () => kept.last();
}

/**
 * Two servers are close if many of the other one's users use both (the cosine, whose other factor is the same for the whole
 * list). Otherwise a server that every user uses would be related to each. A server's number of users is its pair with
 * itself. No step joins two large sets: without statistics, a database would choose nested loops.
 */
const text = `
  with used as (
    select user_id, server_id, sum(answered) as calls from usage_by_day
    where day >= $1::date and kind = 'tool' and server_id not in ('', '${otherServers}')
    group by user_id, server_id having sum(answered) > 0),
  people as (
    select (array_agg(server_id order by calls desc, server_id))[1:${maxServersOfPerson}] as servers from used
    group by user_id having count(*) > 1
    -- by a hash: the first users are not a representative sample
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
