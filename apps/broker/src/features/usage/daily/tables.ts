import { countedServers, otherServers } from '@souk/contract/usage.ts';
import { mergeOverall } from '../overall/tables.ts';
import { latencyColumns, latencyLimitsText } from './latency-buckets.ts';

/** A tool's own error is an answer of its server; of a built-in tool it is a refusal of ours, and belongs to no server. */
const isAnswered = `(outcome = 'ok' or (reason = 'tool_error' and server_id is not null))`;

/** The server did not answer, or not with what a client can use. */
const isFailed = `(outcome in ('error', 'failed') and not ${isAnswered})`;

/** The website's own runs of tools prove nothing of a client. */
const isOfClient = `client_id <> 'frontend'`;

const keys = 'user_id, day, server_id, kind, name';
const sums = ['calls', 'answered', 'credits', ...latencyColumns, 'failed'];
const columns = `${keys}, ${sums.join(', ')}, last_at, last_answered_at, last_client_at`;

/** The same of all people together. */
const serverKeys = 'server_id, day, kind, name';
const serverColumns = `${serverKeys}, ${sums.join(', ')}`;

const definition = `
  user_id uuid not null,
  day date not null,
  server_id text not null,
  kind text not null,
  name text not null,
  ${sums.map((sum) => `${sum} bigint not null,`).join('\n  ')}
  last_at timestamptz,
  last_answered_at timestamptz,
  last_client_at timestamptz`;

/**
 * Adds usage rows up. `sign` is -1 for what a row said before it was written again. Only tools of servers are counted by
 * name: what clients call a tool that does not exist, and addresses of resources, have no bounds. In two steps, of which the
 * second, with its many sums, has only a row for each bucket that occurs: a sum of each bucket for each row cost a fifth of
 * what writing a charged call costs. Failed calls are a bucket of their own.
 */
const addUp = (rows: string) => `
  select user_id, day, server, kind, tool,
    sum(calls), coalesce(sum(calls) filter (where bucket >= 0), 0), sum(credits),
    ${latencyColumns.map((_, bucket) => `coalesce(sum(calls) filter (where bucket = ${bucket}), 0)`).join(',\n    ')},
    coalesce(sum(calls) filter (where bucket = -1), 0),
    max(last_at), max(last_at) filter (where bucket >= 0), max(last_client_at) filter (where bucket >= 0)
  from (
    select user_id, (created_at at time zone 'UTC')::date as day, coalesce(server_id, '') as server, kind,
      case when kind = 'tool' and server_id is not null then name else '' end as tool,
      -- the number of limits below the duration
      case when ${isAnswered} then width_bucket(duration_ms - 1, '${latencyLimitsText}'::int[])
        when ${isFailed} then -1 end as bucket,
      sum(sign * calls) as calls, sum(sign * credits) as credits, max(created_at) filter (where sign = 1) as last_at,
      max(created_at) filter (where sign = 1 and ${isOfClient}) as last_client_at
    from (${rows}) counted group by 1, 2, 3, 4, 5, 6) bucketed
  group by 1, 2, 3, 4, 5`;

const addToParts = (name: string, rows: string) => `
  create function ${name}() returns trigger language plpgsql
  set plan_cache_mode = force_generic_plan set jit = off as $function$
  begin
    insert into usage_parts (${columns}) ${addUp(rows)};
    return null;
  end $function$`;

/**
 * What people used, by day (UTC), server and tool, for ever (data.md, Retention). The database itself adds up what a
 * statement has written to usage_events, in its transaction: each row counts once, whichever broker and statement writes
 * it, and however often. What it adds goes to usage_parts, where statements only append: a row for each day that they
 * changed would make one slow transaction block the rows of all other people. `mergeUsage` brings parts to usage_daily, and to
 * usage_servers, which has the sums of all people: usage_of_servers is that and the parts.
 * usage_by_day is both: several rows may be of one key, and are to be added up.
 */
export const dailyStatements: readonly string[] = [
  `create table usage_daily (${definition},
    primary key (user_id, day, server_id, kind, name)
  ) with (fillfactor = 70)`,
  // days are written one after the other: a few bytes for each hundred pages lead to those of a month
  'create index usage_daily_by_day on usage_daily using brin (day) with (autosummarize = on)',
  // of one server, people are counted in the index alone
  'create index usage_daily_by_server on usage_daily (server_id, day) include (user_id)',
  `create table usage_parts (${definition})`,
  `create index usage_parts_by_user on usage_parts (user_id, day)`,
  // of all people together: what 50,000 of them used of a server in a month is a million rows of usage_daily
  `create table usage_servers (
    server_id text not null,
    day date not null,
    kind text not null,
    name text not null,
    ${sums.map((sum) => `${sum} bigint not null,`).join('\n    ')}
    primary key (server_id, day, kind, name)
  ) with (fillfactor = 70)`,
  `create view usage_by_day as select ${columns} from usage_daily union all select ${columns} from usage_parts`,
  `create view usage_of_servers as select ${serverColumns} from usage_servers
    union all select ${serverColumns} from usage_parts`,
  addToParts('add_usage', 'select *, 1 as sign from new_rows'),
  addToParts('correct_usage', 'select *, 1 as sign from new_rows union all select *, -1 from old_rows'),
  `create trigger add_usage after insert on usage_events referencing new table as new_rows
    for each statement execute function add_usage()`,
  `create trigger correct_usage after update on usage_events referencing old table as old_rows new table as new_rows
    for each statement execute function correct_usage()`,
];

/**
 * Takes up to $1 parts away, and adds them to usage_daily and usage_servers. Answers how many. Of one person and day the
 * servers beyond the first `countedServers` are one row of usage_daily: a client that calls thousands would fill it.
 */
export const mergeText = `
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
    select ${keys}, ${sums.map((sum) => `sum(${sum})`).join(', ')}, max(last_at), max(last_answered_at), max(last_client_at)
    from counted group by ${keys}
    on conflict (${keys}) do update set
      ${sums.map((sum) => `${sum} = daily.${sum} + excluded.${sum}`).join(', ')},
      last_at = greatest(daily.last_at, excluded.last_at),
      last_answered_at = greatest(daily.last_answered_at, excluded.last_answered_at),
      last_client_at = greatest(daily.last_client_at, excluded.last_client_at)),
  of_servers as (
    insert into usage_servers as daily (${serverColumns})
    select ${serverKeys}, ${sums.map((sum) => `sum(${sum})`).join(', ')} from taken group by ${serverKeys}
    on conflict (${serverKeys}) do update set
      ${sums.map((sum) => `${sum} = daily.${sum} + excluded.${sum}`).join(', ')}),
  ${mergeOverall.trim()}
  select count(*) as parts from taken`;
