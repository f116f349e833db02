import { mergeFigures } from '../../apps/broker/src/features/billing/index.ts';
import { countPeople } from '../../apps/broker/src/features/usage/index.ts';
import { latencyColumns, latencyLimitsText } from '../../apps/broker/src/features/usage/daily/latency-buckets.ts';
import { inBackground } from '../../apps/broker/src/platform/db/background-work.ts';
import type { Database } from '../../apps/broker/src/platform/db/database.ts';
import { seedBusyPerson, seedMoney } from './seed-money.ts';
import { busyEmail, run, seededDays } from './seeding.ts';

/** Calls that arrive between two runs of the merging job. */
const unmerged = 20_000;

/**
 * Adds 60 days of use by the seeded users: calls of 200 servers, four in seven by one user, ledger entries, payments and paid
 * plans. All but the last calls are merged, as on a running broker.
 */
export async function seedUse(db: Database, { calls, entries }: { calls: number; entries: number }): Promise<void> {
  await seedMerged(db, calls);
  await countPeople(db, Date.now());
  await seedMoney(db, Math.ceil(entries / 4));
  await seedBusyPerson(db, Math.ceil(entries / 2));
  await inBackground(() => mergeFigures(db));
  await seedCalls(db, calls + 1, calls + unmerged, calls);
}

/** Adds calls and their sums in bulk, because merging a million calls incrementally takes minutes. */
async function seedMerged(db: Database, calls: number): Promise<void> {
  await run(db, 'alter table usage_events disable trigger user');
  await seedCalls(db, 1, calls, calls);
  await run(db, 'alter table usage_events enable trigger user');
  const failed = `sum(calls) filter (where outcome = 'failed')`;
  const answered = `sum(calls) filter (where outcome in ('ok', 'error'))`;
  const bucketOf = `width_bucket(duration_ms - 1, '${latencyLimitsText}'::int[])`;
  const buckets = latencyColumns.map(
    (_, bucket) => `coalesce(sum(calls) filter (where outcome = 'ok' and ${bucketOf} = ${bucket}), 0)`,
  );
  const names = ['calls', 'answered', 'failed', 'credits', ...latencyColumns].join(', ');
  const sums = ['sum(calls)', answered, failed, 'sum(credits)', ...buckets]
    .map((sum) => `coalesce(${sum}, 0)`)
    .join(', ');
  const day = `(created_at at time zone 'UTC')::date`;
  await run(
    db,
    `insert into usage_daily (user_id, day, server_id, kind, name, ${names})
     select user_id, ${day}, server_id, kind, name, ${sums} from usage_events group by 1, 2, 3, 4, 5`,
  );
  const total = ['calls', 'answered', 'failed', ...latencyColumns];
  await run(
    db,
    `insert into usage_server_days (day, server_id, ${total.join(', ')})
     select day, server_id, ${total.map((sum) => `sum(${sum})`).join(', ')} from usage_daily group by 1, 2`,
  );
  await run(
    db,
    'insert into usage_days select day, sum(calls), sum(answered), sum(failed) from usage_server_days group by day',
  );
  await run(db, 'insert into usage_people select user_id, max(day) from usage_daily group by user_id');
}

/** Returns SQL for a UUIDv7 of a time, like the ids of calls. */
const callId = (at: string, n: string) =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(${n}::text), 1, 3) || '8'
    || substr(md5(${n}::text), 4, 15))::uuid`;

/** Adds calls whose numbers increase with time; numbers above `calls` have the current time. */
async function seedCalls(db: Database, from: number, to: number, calls: number): Promise<void> {
  await run(
    db,
    `with people as materialized (
       select id, row_number() over (order by email <> $4, id) - 1 as place, count(*) over () as all_people
       from users where email like '%@bench.test'),
     numbers as (
       select n, date_trunc('milliseconds', now()) - greatest(0, $3::int - n) * interval '${seededDays} days' / $3::int as at
       from generate_series($1::int, $2::int) n)
     insert into usage_events (call_id, user_id, server_id, kind, name, outcome, credits, duration_ms, client_id, token_id,
       created_at, livemode)
     select ${callId('at', 'n')}, u.id, 'server-' || (2 * (1 + n % 200)), 'tool', 'tool_' || n % 10,
       (array['ok', 'ok', 'error', 'failed', 'refused'])[1 + n % 5], n % 3, n % 900, 'frontend', 'none',
       date_trunc('milliseconds', at), false
     from numbers join people u
       on u.place = case when n % 7 < 4 then 0 else n::bigint * 7919 % (select max(all_people) from people) end`,
    [from, to, calls, busyEmail],
  );
}
