import { countedServers, otherServers } from '@souk/contract/usage.ts';
import type { Database } from '#platform/db/database.ts';
import { mergeParts } from '#platform/db/merge-parts.ts';
import { mergeOverall } from '../overall/merge-overall.ts';
import { latencyColumns } from './latency-buckets.ts';

const keys = 'user_id, day, server_id, kind, name';
const sums = ['calls', 'answered', 'credits', ...latencyColumns, 'failed'];
const columns = `${keys}, ${sums.join(', ')}, last_at, last_answered_at, last_client_at`;
const serverKeys = 'server_id, day, kind, name';
const serverColumns = `${serverKeys}, ${sums.join(', ')}`;
const summed = sums.map((sum) => `sum(${sum})`).join(', ');
const added = sums.map((sum) => `${sum} = daily.${sum} + excluded.${sum}`).join(', ');

/**
 * Moves up to $1 parts to usage_daily and usage_servers, and returns their number. The servers of a user and day beyond the
 * first `countedServers` share one row of usage_daily, because a client may call thousands.
 */
const mergeText = `
  with taken as (
    delete from usage_parts where ctid = any (array(select ctid from usage_parts limit $1)) returning ${columns}),
  fresh as (
    select user_id, day, server_id, row_number() over (partition by user_id, day order by server_id) as place
    from (select distinct user_id, day, server_id from taken where server_id <> '') as called
    where not exists (select from usage_daily as daily where daily.user_id = called.user_id
      and daily.day = called.day and daily.server_id = called.server_id)),
  known as (
    select user_id, day, count(distinct server_id) as servers from usage_daily
    where (user_id, day) in (select user_id, day from fresh) and server_id not in ('', '${otherServers}')
    group by user_id, day),
  beyond as (
    select user_id, day, server_id from fresh left join known using (user_id, day)
    where place + coalesce(servers, 0) > ${countedServers}),
  counted as (
    select user_id, day, kind, ${sums.join(', ')}, last_at, last_answered_at, last_client_at,
      case when beyond.server_id is null then taken.server_id else '${otherServers}' end as server_id,
      case when beyond.server_id is null then name else '' end as name
    from taken left join beyond using (user_id, day, server_id)),
  merged as (
    insert into usage_daily as daily (${columns})
    select ${keys}, ${summed}, max(last_at), max(last_answered_at), max(last_client_at)
    from counted group by ${keys}
    on conflict (${keys}) do update set
      ${added},
      last_at = greatest(daily.last_at, excluded.last_at),
      last_answered_at = greatest(daily.last_answered_at, excluded.last_answered_at),
      last_client_at = greatest(daily.last_client_at, excluded.last_client_at)),
  of_servers as (
    insert into usage_servers as daily (${serverColumns})
    select ${serverKeys}, ${summed} from taken group by ${serverKeys}
    on conflict (${serverKeys}) do update set
      ${added}),
  ${mergeOverall.trim()}
  select count(*) as parts from taken`;

/**
 * Merges what batches have appended to usage_parts into usage_daily, one row per day, server and tool. Figures are the same
 * before, meanwhile and afterwards; it keeps the table small and reading cheap.
 * @returns the number of merged parts
 */
export const mergeUsage = (db: Pick<Database, 'query' | 'transaction' | 'engine'>): Promise<number> =>
  mergeParts(db, { table: 'usage_parts', lock: 'souk:usage-merge', text: mergeText });
