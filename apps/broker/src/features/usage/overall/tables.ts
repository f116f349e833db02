import { latencyColumns } from '../daily/latency-buckets.ts';

const sums = ['calls', 'answered', 'failed', ...latencyColumns];
const columns = ['day', 'server_id', ...sums].join(', ');
const total = (of: string) => `sum(${of})`;

/** Calls that a server answered or failed: a person whose every call was refused used nothing. */
export const reached = 'answered + failed';

/** Calls of tools, built-in ones too: the shop's total is that of all people's own. */
const isTool = `kind = 'tool'`;

const isOfServer = `${isTool} and server_id <> ''`;

/**
 * What all people used of all tools, by day (UTC): usage_server_days of each server, usage_days of all together; usage_people has
 * when a call of each person last reached a server. Both views add what is not merged yet. usage_people_days has, of days that
 * are over, how many people did so on the day, and in the 30 days that ended with it.
 */
export const overallStatements: readonly string[] = [
  `create table usage_server_days (
    day date not null,
    server_id text not null,
    ${sums.map((sum) => `${sum} bigint not null,`).join('\n    ')}
    primary key (day, server_id)
  ) with (fillfactor = 70)`,
  `create table usage_days (
    day date primary key,
    calls bigint not null,
    answered bigint not null,
    failed bigint not null
  ) with (fillfactor = 50)`,
  `create table usage_people (
    user_id uuid primary key,
    last_day date not null
  )`,
  `create index usage_people_by_day on usage_people (last_day)`,
  `create table usage_people_days (
    day date primary key,
    people int not null,
    people_30 int
  )`,
  `create view usage_by_server_day as select ${columns} from usage_server_days
    union all select ${columns} from usage_parts where ${isOfServer}`,
  `create view usage_by_day_of_all as select day, calls, answered, failed from usage_days
    union all select day, calls, answered, failed from usage_parts where ${isTool}`,
];

/** Common table expressions of the merge of use by day, which bring `taken` parts here too. */
export const mergeOverall = `
  of_server_days as (
    insert into usage_server_days as days (${columns})
    select day, server_id, ${sums.map(total).join(', ')} from taken where ${isOfServer} group by day, server_id
    on conflict (day, server_id) do update set ${sums.map((sum) => `${sum} = days.${sum} + excluded.${sum}`).join(', ')}),
  of_days as (
    insert into usage_days as days (day, calls, answered, failed)
    select day, sum(calls), sum(answered), sum(failed) from taken where ${isTool} group by day
    on conflict (day) do update set calls = days.calls + excluded.calls, answered = days.answered + excluded.answered,
      failed = days.failed + excluded.failed),
  of_people as (
    insert into usage_people as people (user_id, last_day) select user_id, max(day) from (
      select user_id, day from taken group by user_id, day having sum(${reached}) > 0) as used group by user_id
    on conflict (user_id) do update set last_day = excluded.last_day where people.last_day < excluded.last_day)`;
