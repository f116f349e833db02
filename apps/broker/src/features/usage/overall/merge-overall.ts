import { latencyColumns } from '../daily/latency-buckets.ts';

const sums = ['calls', 'answered', 'failed', ...latencyColumns];
const columns = ['day', 'server_id', ...sums].join(', ');

/** Calls that a server answered or failed. A user whose every call was refused used nothing. */
export const reached = 'answered + failed';

/** Common table expressions of the merge of use by day: they add the `taken` parts to the tables of all users. */
export const mergeOverall = `
  of_server_days as (
    insert into usage_server_days as days (${columns})
    select day, server_id, ${sums.map((sum) => `sum(${sum})`).join(', ')} from taken where kind = 'tool' and server_id <> '' group by day, server_id
    on conflict (day, server_id) do update set ${sums.map((sum) => `${sum} = days.${sum} + excluded.${sum}`).join(', ')}),
  of_days as (
    insert into usage_days as days (day, calls, answered, failed)
    select day, sum(calls), sum(answered), sum(failed) from taken where kind = 'tool' group by day
    on conflict (day) do update set calls = days.calls + excluded.calls, answered = days.answered + excluded.answered,
      failed = days.failed + excluded.failed),
  of_people as (
    insert into usage_people as people (user_id, last_day) select user_id, max(day) from (
      select user_id, day from taken group by user_id, day having sum(${reached}) > 0) as used group by user_id
    on conflict (user_id) do update set last_day = excluded.last_day where people.last_day < excluded.last_day)`;
