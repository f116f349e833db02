import type { Database } from '../../apps/broker/src/platform/db/database.ts';
import { busyEmail, run, seededDays } from './seeding.ts';

const days = `interval '${seededDays} days'`;
/** Plan of most users, at an outdated price. */
export const planId = 'basic';
const olderPrice = ['price_bench', planId, 400, 'USD', 200];

/** Adds two ledger entries and a payment for some users, and a paid plan for every user without one. */
export async function seedMoney(db: Database, people: number): Promise<void> {
  const all = `select id, row_number() over (order by email <> '${busyEmail}', id) as n from users where email like '%@bench.test'`;
  const some = `(select * from (${all}) numbered where n <= ${people})`;
  const back = `(n % ${seededDays}) * interval '1 day'`;
  await run(db, `insert into credit_accounts (user_id, livemode, balance) select id, false, 400 from ${some} u`);
  await run(
    db,
    `insert into credit_lots (id, user_id, livemode, source, idem, granted, remaining)
     select gen_random_uuid(), id, false, 'purchased', 'bench:' || n, 500, 400 from ${some} u`,
  );
  for (const [contra, delta, after] of [
    ['purchased', 500, 500],
    ['usage', -100, 400],
  ] as const)
    await run(
      db,
      `insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem, at)
       select id, false, $1::bigint, $2::text, $3::bigint, $2::text || ':' || n, now() - ${back} from ${some} u`,
      [delta, contra, after],
    );
  await run(
    db,
    `insert into transactions (id, user_id, livemode, type, status, description, amount, currency, idem, created_at)
     select gen_random_uuid(), id, false, 'credit_purchase', 'completed', '500 credits', 500, 'USD', 'purchased:' || n,
       now() - ${back} from ${some} u`,
  );
  await run(
    db,
    'insert into plan_prices (price_id, plan_id, amount, currency, monthly_credits) values ($1, $2, $3, $4, $5)',
    olderPrice,
  );
  await run(
    db,
    `insert into subscriptions (id, user_id, livemode, plan_id, source, payment_id, past_due, started_at, period_ends_at,
       price_id, price_amount, price_currency)
     select gen_random_uuid(), id, false, $2, 'payment', 'sub_' || n, n % 100 = 7, now() - n % 120 * interval '1 day',
       now() + (n % 30) * interval '1 day', $1, $3, $4
     from (${all}) u where not exists (select from subscriptions s where s.user_id = u.id)`,
    olderPrice.slice(0, 4),
  );
}

const payments = 1_000;
const signIns = 20_000;
const auditRows = 100_000;

/** Adds further ledger entries for calls, payments and sign-ins of one user, and audit rows of all users. */
export async function seedBusyPerson(db: Database, entries: number): Promise<void> {
  const busy = `(select id from users where email = '${busyEmail}')`;
  await run(
    db,
    `insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem, calls, at)
     select ${busy}, false, -sum(credits), 'usage', 400, 'calls:' || min(call_id::text), array_agg(call_id), max(created_at)
     from (select call_id, credits, created_at, ntile($1::int) over (order by created_at) as entry
       from usage_events where user_id = ${busy} and credits > 0) c
     group by entry order by entry`,
    [entries],
  );
  await run(
    db,
    `insert into transactions (id, user_id, livemode, type, status, description, amount, currency, idem, created_at)
     select gen_random_uuid(), ${busy}, false, 'credit_purchase', 'completed', '500 credits', 500, 'USD', 'order:' || n,
       now() - n * ${days} / ${payments} from generate_series(1, ${payments}) n`,
  );
  await run(
    db,
    `insert into sign_ins (id, user_id, at, provider, address, browser_name, outcome)
     select gen_random_uuid(), ${busy}, now() - n * ${days} / ${signIns}, 'google', '192.0.2.1', 'Firefox on Linux', 'signed_in'
     from generate_series(1, ${signIns}) n`,
  );
  await run(
    db,
    `with people as materialized (
       select id, row_number() over (order by email <> '${busyEmail}', id) - 1 as place, count(*) over () as all_people
       from users where email like '%@bench.test')
     insert into audit_log (at, actor_id, action, subject, reason, details, address)
     select now() - (${auditRows} - n) * ${days} / ${auditRows}, case when n % 3 > 0 then u.id end,
       (array['manifest.deployed', 'credits.set', 'manifest.staged', 'access.given', 'user.signed-out'])[1 + n % 5],
       case when n % 5 in (0, 2) then 'server-' || (1 + n % 5000) else u.id::text end, 'asked for',
       case n % 3 when 0 then '{"operator": "olga", "via": "command"}'::jsonb else '{"version": "1.1.0"}' end, '192.0.2.1'
     from generate_series(1, ${auditRows}) n join people u
       on u.place = case when n % 10 = 1 then 0 else n % (select max(all_people) from people) end
     order by n`,
  );
}
