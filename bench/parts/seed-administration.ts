import type { Database } from '../../apps/broker/src/platform/db/database.ts';

/** Nothing listens there. */
export const downAddress = '127.0.0.1:9';

/** Users as they sign in over time: one in ten has a plan, one in fifty is deactivated. */
export async function seedUsers(db: Database, count: number): Promise<void> {
  const batch = 1_000;
  for (let from = 1; from <= count; from += batch) {
    const to = Math.min(count, from + batch - 1);
    await db.query(
      `insert into users (id, email, display_name, is_active, created_at, last_login_at)
       select gen_random_uuid(), 'user' || n || '@bench.test',
         (array['Anna','Ben','Carla','David','Eva','Felix','Greta','Hugo','Ida','Jonas'])[1 + n % 10] || ' ' ||
         (array['Abel','Bauer','Costa','Dietz','Egger','Frank','Gross','Huber','Ito','Jansen','Klein'])[1 + n % 11],
         n % 50 <> 0, now() - n * interval '1 minute', now()
       from generate_series($1::int, $2::int) n`,
      [from, to],
    );
    await db.query(
      `insert into identities (provider, subject, user_id, created_at)
       select 'dev', email, id, created_at from users u
       where email like '%@bench.test' and provider is null`,
    );
  }
  await db.query(
    `insert into subscriptions (id, user_id, livemode, plan_id, source, started_at, period_ends_at)
     select gen_random_uuid(), id, false, case when n % 20 = 0 then 'pro' else 'basic' end, 'administrator', now(),
       now() + interval '30 days'
     from (select id, row_number() over (order by created_at) as n from users where email like '%@bench.test') as u
     where n % 10 = 0`,
  );
}

/** Each has an older version; half are deployed, at an address where nothing listens, and every fifth is staged too. */
export async function seedManifests(db: Database, count: number): Promise<void> {
  const toolCosts = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`tool_with_a_long_name_${n}`, n]));
  const body = JSON.stringify({
    id: 'ID',
    name: 'NAME',
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'A server. '.repeat(40),
    category: 'data',
    connection: { type: 'http', url: `http://${downAddress}/mcp` },
    billing: { tier: 'T0', toolCosts },
  });
  await db.query(`insert into servers (id, slug) select 'server-' || n, 's' || n from generate_series(1, $1::int) n`, [
    count,
  ]);
  for (const [version, status, which] of [
    ['1.0.0', 'superseded', 'true'],
    ['1.1.0', 'deployed', 'n % 2 = 0'],
    ['1.2.0', 'staging', 'n % 2 = 1 or n % 5 = 0'],
  ])
    for (let from = 1; from <= count; from += 500) {
      await db.query(
        `insert into manifest_versions (server_id, version, status, body, sha256, origin)
         select 'server-' || n, $1, $2,
           replace(replace(replace($3::text, '"ID"', '"server-' || n || '"'), '"NAME"', '"Server ' || n || '"'),
             '"1.0.0"', '"' || $1 || '"')::json, md5($1 || n), 'admin'
         from generate_series($4::int, least($4 + 499, $5)::int) n where ${which}`,
        [version, status, body, from, count],
      );
    }
}
