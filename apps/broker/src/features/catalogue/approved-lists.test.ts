import { expect, test } from 'vitest';
import { auditMigrations } from '#platform/audit/audit-log.ts';
import { migrate } from '#platform/db/migrate.ts';
import { describeOnDatabases } from '#testing/databases.ts';
import { catalogueMigrations } from './migrations.ts';

const all = [...auditMigrations, ...catalogueMigrations];
const before = all.slice(
  0,
  all.findIndex(({ name }) => name === '0027-catalogue-approved-lists'),
);
const at = (day: number) => new Date(Date.UTC(2026, 10, day));
const deployed = at(10);

/** A server as a release stored it that did not yet know which lists were approved; it is deployed at 2.0.0. */
type OldServer = { snapshot?: boolean; features?: boolean; pinned?: string; approvedAt?: Date; isApproved: boolean };

const servers: Record<string, OldServer> = {
  'of-its-snapshot': { snapshot: true, pinned: '2.0.0', isApproved: true },
  'of-its-snapshot-not-pinned': { snapshot: true, isApproved: false },
  'of-its-snapshot-pinned-before': { snapshot: true, pinned: '1.0.0', isApproved: false },
  'asked-itself': { snapshot: true, features: true, pinned: '2.0.0', isApproved: false },
  'with-nothing': { pinned: '2.0.0', isApproved: false },
  'approved-since': { features: true, pinned: '2.0.0', approvedAt: at(11), isApproved: true },
  'approved-before': { features: true, pinned: '2.0.0', approvedAt: at(9), isApproved: false },
};

describeOnDatabases('an upgrade to approved lists', before, (open) => {
  test('knows which of the lists of before an administrator approved', async () => {
    const db = await open();
    for (const [id, { snapshot, features, pinned, approvedAt }] of Object.entries(servers)) {
      await db.query('insert into servers (id, slug, pinned_version) values ($1, $1, $2)', [id, pinned ?? null]);
      for (const [version, status] of [
        ['1.0.0', 'superseded'],
        ['2.0.0', 'deployed'],
      ]) {
        await db.query(
          `insert into manifest_versions (server_id, version, status, body, sha256, origin, deployed_at)
           values ($1, $2, $3, $4, 'x', 'admin', $5)`,
          [id, version, status, JSON.stringify(snapshot ? { capabilitySnapshot: { tools: [] } } : {}), deployed],
        );
      }
      await db.query(
        `insert into server_health (server_id, status, checked_at, discovered_at, features)
         values ($1, 'connected', $2, $2, $3)`,
        [id, deployed, features ? '{}' : null],
      );
      if (approvedAt) {
        await db.query(`insert into audit_log (action, subject, details, at) values ('offer.approved', $1, '{}', $2)`, [
          id,
          approvedAt,
        ]);
      }
    }
    await migrate(db, all);
    const { rows } = await db.query<{ id: string; approved_version: string | null }>(
      'select id, approved_version from servers',
    );
    const expected = Object.entries(servers).map(([id, { isApproved }]) => [id, isApproved ? '2.0.0' : null]);
    expect(Object.fromEntries(rows.map((row) => [row.id, row.approved_version]))).toEqual(Object.fromEntries(expected));
  });
});
