import { manifestSchema } from '@souk/contract/manifest/manifest.ts';
import type { Database } from '../../apps/broker/src/platform/db/database.ts';
import { run } from './seeding.ts';

/** Address on which nothing listens. */
export const downAddress = '127.0.0.1:9';

/** Adds users with different sign-in times: one in ten has a plan, one in fifty is deactivated. */
export async function seedUsers(db: Database, count: number): Promise<void> {
  const batch = 1_000;
  for (let from = 1; from <= count; from += batch) {
    const to = Math.min(count, from + batch - 1);
    await run(
      db,
      `insert into users (id, email, display_name, is_active, created_at, last_login_at)
       select gen_random_uuid(), 'user' || n || '@bench.test',
         (array['Anna','Ben','Carla','David','Eva','Felix','Greta','Hugo','Ida','Jonas'])[1 + n % 10] || ' ' ||
         (array['Abel','Bauer','Costa','Dietz','Egger','Frank','Gross','Huber','Ito','Jansen','Klein'])[1 + n % 11],
         n % 50 <> 0, now() - n * interval '1 minute', now()
       from generate_series($1::int, $2::int) n`,
      [from, to],
    );
    await run(
      db,
      `insert into identities (provider, subject, user_id, created_at)
       select 'dev', email, id, created_at from users u
       where email like '%@bench.test' and provider is null`,
    );
  }
  await run(
    db,
    `insert into subscriptions (id, user_id, livemode, plan_id, source, started_at, period_ends_at)
     select gen_random_uuid(), id, false, case when n % 20 = 0 then 'pro' else 'basic' end, 'administrator', now(),
       now() + interval '30 days'
     from (select id, row_number() over (order by created_at) as n from users where email like '%@bench.test') as u
     where n % 10 = 0`,
  );
}

/**
 * Adds manifests, each with an older version: half are deployed at an address where nothing listens, and every fifth is also
 * staged.
 */
export async function seedManifests(db: Database, count: number): Promise<void> {
  const toolCosts = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`tool_with_a_long_name_${n}`, n]));
  const body = JSON.stringify(
    manifestSchema.parse({
      id: 'id',
      name: 'NAME',
      serviceType: 'mcp',
      version: '1.0.0',
      description: 'A server. '.repeat(40),
      category: 'data',
      connection: { type: 'http', url: `http://${downAddress}/mcp` },
      billing: { tier: 'T0', toolCosts },
    }),
  );
  await run(db, `insert into servers (id, slug) select 'server-' || n, 's' || n from generate_series(1, $1::int) n`, [
    count,
  ]);
  for (const [version, status, which] of [
    ['1.0.0', 'superseded', 'true'],
    ['1.1.0', 'deployed', 'n % 2 = 0'],
    ['1.2.0', 'staging', 'n % 2 = 1 or n % 5 = 0'],
  ])
    for (let from = 1; from <= count; from += 500) {
      await run(
        db,
        `insert into manifest_versions (server_id, version, status, body, sha256, origin)
         select 'server-' || n, $1, $2,
           replace(replace(replace($3::text, '"id":"id"', '"id":"server-' || n || '"'), '"NAME"', '"Server ' || n || '"'),
             '"1.0.0"', '"' || $1 || '"')::json, md5($1 || n), 'admin'
         from generate_series($4::int, least($4 + 499, $5)::int) n where ${which}`,
        [version, status, body, from, count],
      );
    }
}

/** Adds the tools of each deployed server. */
export async function seedTools(db: Database, toolsPerServer: number): Promise<void> {
  const body = JSON.stringify({
    name: 'NAME',
    title: 'Find entries',
    description: 'Works on the entries of the signed-in team, and answers a table of what was found or changed.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What is looked for, in words.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Rows of the answer.' },
      },
      required: ['query'],
    },
  });
  for (let position = 0; position < toolsPerServer; position++) {
    await run(
      db,
      `insert into capabilities (server_id, kind, name, position, exposed_name, body, sha256)
       select s.id, 'tool', 'tool_' || $1::int, $1, s.slug || '__tool_' || $1::int,
         replace($2::text, 'NAME', 'tool_' || $1::int)::jsonb, md5(s.id || $1::int)
       from servers s join manifest_versions m on m.server_id = s.id and m.status = 'deployed'`,
      [position, body],
    );
  }
  await run(
    db,
    `insert into server_health (server_id, status, checked_at, discovered_at)
     select server_id, 'connected', now(), now() from manifest_versions where status = 'deployed'`,
  );
}
