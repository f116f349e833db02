import type { Database } from '../../apps/broker/src/platform/db/database.ts';
import { run } from './seeding.ts';

/** Numbers of rows of a busy user. */
export type PersonRows = { calls: number; payments: number };

/** Server with the largest number of tools that discovery accepts. */
export const giantId = 'server-2';
export const rentedId = 'server-4';

/** Replaces the server's tools by 512 tools of `bytes` each. */
export async function seedGiant(db: Database, bytes: number): Promise<void> {
  await run(db, `delete from capabilities where server_id = $1`, [giantId]);
  const body = JSON.stringify({ name: 'NAME', description: 'TEXT', inputSchema: { type: 'object', properties: {} } });
  await run(
    db,
    `insert into capabilities (server_id, kind, name, position, exposed_name, body, sha256)
     select $1, 'tool', 'giant_' || n, n, 's2__giant_' || n,
       replace(replace($2::text, 'NAME', 'giant_' || n), 'TEXT', repeat('word ', $3::int / 5))::jsonb, md5('giant' || n)
     from generate_series(0, 511) n`,
    [giantId, body, Math.min(bytes, 60_000)],
  );
}

/** Adds calls of many tools over a year, payments and preferences. */
export async function seedPerson(db: Database, userId: string, { calls, payments }: PersonRows): Promise<void> {
  for (let from = 1; from <= calls; from += 10_000) {
    await run(
      db,
      `insert into usage_events (call_id, user_id, server_id, kind, name, outcome, credits, duration_ms, client_id, token_id,
         created_at, livemode)
       select gen_random_uuid(), $1::uuid, 'server-' || (2 * (1 + n % 200)), 'tool', 'tool_' || n % 10,
         (array['ok', 'ok', 'error', 'failed', 'refused'])[1 + n % 5], n % 3, n % 900, 'frontend', 'none',
         date_trunc('milliseconds', now()) - n * interval '5 minutes', false
       from generate_series($2::int, least($2 + 9999, $3)::int) n`,
      [userId, from, calls],
    );
  }
  await run(
    db,
    `insert into transactions (id, user_id, livemode, type, status, description, amount, currency, idem, created_at)
     select gen_random_uuid(), $1::uuid, false, 'credit_purchase', 'completed', '1,000 credits', 1000, 'usd',
       'bench:' || n, date_trunc('seconds', now()) - n * interval '1 hour'
     from generate_series(1, $2::int) n`,
    [userId, payments],
  );
  await run(
    db,
    `insert into user_server_prefs (user_id, server_id, disabled_at)
     select $1::uuid, id, now() from (select id from servers order by id limit 200) s`,
    [userId],
  );
}

/** Adds renters of one server, whom administrators see in pages. */
export async function seedRenters(db: Database, most: number): Promise<void> {
  await run(
    db,
    `insert into access_grants (id, user_id, livemode, server_id, kind, source, period, started_at, period_ends_at)
     select gen_random_uuid(), u.id, false, $1, 'rental', 'administrator', 'monthly', now(), now() + interval '30 days'
     from (select id from users where email like '%@bench.test' limit $2) u`,
    [rentedId, most],
  );
}
