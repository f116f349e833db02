import { expect, test } from 'vitest';
import { auditMigrations } from '#platform/audit/audit-log.ts';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases.ts';
import { createCatalogue } from './create-catalogue.ts';
import { catalogueMigrations } from './migrations.ts';
import { parseManifest } from './parse-manifest.ts';

const all = [...auditMigrations, ...catalogueMigrations];
const before = all.slice(
  0,
  all.findIndex(({ name }) => name === '0025-catalogue-pins-of-none'),
);
const policy = { stdioAliases: new Set<string>(), services: new Set<string>(), addressProblem: () => undefined };
const deployedAt = new Date('2026-11-10T12:00:00Z');
const earlier = new Date('2026-11-01T12:00:00Z');
const later = new Date('2026-11-11T12:00:00Z');

/** A server as a release stored it that did not yet know "no tools" as a pin. */
type OldServer = { auth?: object; discoveredAt?: Date; pinsOf?: string };
const perUser = { isolation: 'perUser' };

/** What a server had by then, and whether tools that it shows after the upgrade are under review. */
const servers: Record<string, OldServer & { isPinned: boolean }> = {
  'with tools': { discoveredAt: later, pinsOf: '2.0.0', isPinned: true },
  'without tools': { discoveredAt: later, isPinned: true },
  'discovered as it was deployed': { discoveredAt: deployedAt, isPinned: true },
  'never discovered': { isPinned: false },
  'not discovered since': { discoveredAt: earlier, isPinned: false },
  'not discovered since, with pins of the last version': { discoveredAt: earlier, pinsOf: '1.0.0', isPinned: false },
  'behind a sign-in': { auth: { type: 'oauth' }, discoveredAt: later, isPinned: false },
  'behind a sign-in, with tools': { auth: { type: 'oauth' }, discoveredAt: later, pinsOf: '2.0.0', isPinned: true },
};
const idOf = (name: string) => name.replaceAll(/[^a-z]+/g, '-');

async function insertOld(db: Database, name: string, { auth, discoveredAt, pinsOf }: OldServer): Promise<void> {
  const id = idOf(name);
  await db.query('insert into servers (id, slug) values ($1, $1)', [id]);
  for (const [version, status] of [
    ['1.0.0', 'superseded'],
    ['2.0.0', 'deployed'],
  ] as const) {
    const manifest = parseManifest(
      JSON.stringify({
        id,
        name: id,
        serviceType: 'mcp',
        version,
        description: 'A server.',
        category: 'data',
        connection: { type: 'http', url: 'https://a.example.com/mcp' },
        ...(auth && { auth, ...perUser }),
      }),
      policy,
    );
    await db.query(
      `insert into manifest_versions (server_id, version, status, body, sha256, origin, deployed_at)
       values ($1, $2, $3, $4, 'x', 'admin', $5)`,
      [id, version, status, JSON.stringify(manifest), deployedAt],
    );
  }
  if (discoveredAt) {
    await db.query(
      `insert into server_health (server_id, status, checked_at, discovered_at) values ($1, 'connected', $2, $2)`,
      [id, discoveredAt],
    );
  }
  if (pinsOf !== undefined) {
    await db.query(
      `insert into tool_pins (server_id, name, manifest_version, sha256, definition) values ($1, 'old', $2, 'x', '{}')`,
      [id, pinsOf],
    );
  }
}

describeOnDatabases('an upgrade to pins of no tools', before, (open) => {
  test('pins what was discovered since its deployment, and nothing else', async () => {
    const db = await open();
    for (const [name, server] of Object.entries(servers)) await insertOld(db, name, server);
    await migrate(db, all);

    const { rows } = await db.query<{ id: string; pinned_version: string | null }>(
      'select id, pinned_version from servers',
    );
    const pinned = Object.fromEntries(rows.map((row) => [row.id, row.pinned_version]));
    const expected = Object.entries(servers).map(([name, { isPinned }]) => [idOf(name), isPinned ? '2.0.0' : null]);
    expect(pinned).toEqual(Object.fromEntries(expected));

    const catalogue = await createCatalogue({ db, clock: systemClock, log: createLog('silent') });
    const tools = [{ name: 'new', inputSchema: { type: 'object' } }];
    for (const [name, isPinned] of [
      ['without tools', true],
      ['behind a sign-in', false],
    ] as const) {
      await catalogue.storeDiscovery(idOf(name), {
        era: 'legacy',
        instructions: undefined,
        tools,
        prompts: [],
        resources: [],
        templates: [],
      });
      const shown = catalogue
        .snapshot()
        .byId.get(idOf(name))
        ?.tools.map((tool) => tool.name);
      expect(shown, name).toEqual(isPinned ? [] : ['new']);
    }
    await catalogue.stop();
  });
});
