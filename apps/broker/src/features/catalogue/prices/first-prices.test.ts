import { expect, test } from 'vitest';
import { auditMigrations } from '#platform/audit/audit-log.ts';
import { migrate } from '#platform/db/migrate.ts';
import { describeOnDatabases } from '#testing/databases.ts';
import { catalogueMigrations } from '../migrations.ts';

const all = [...auditMigrations, ...catalogueMigrations];
const before = all.slice(
  0,
  all.findIndex(({ name }) => name === '0130-catalogue-tool-prices'),
);
const at = (day: number) => new Date(Date.UTC(2026, 10, day));

/** Versions as releases before stored them: status, day of the deployment, price of `one`. */
const servers: Record<string, readonly (readonly [status: string, day: number | undefined, price?: number])[]> = {
  deployed: [
    ['superseded', 9, 1],
    ['deployed', 3, 5],
    ['staging', undefined, 7],
  ],
  'taken-out': [
    ['superseded', 2, 1],
    ['superseded', 8, 6],
  ],
  free: [['deployed', 3]],
  'never-deployed': [['staging', undefined, 7]],
};

describeOnDatabases('an upgrade to the record of prices', before, (open) => {
  test('begins with what is deployed, or was last', async () => {
    const db = await open();
    for (const [id, versions] of Object.entries(servers)) {
      await db.query('insert into servers (id, slug) values ($1, $1)', [id]);
      for (const [version, [status, day, price]] of versions.entries()) {
        const body = price === undefined ? {} : { billing: { tier: 'T0', toolCosts: { one: price, two: 0 } } };
        await db.query(
          `insert into manifest_versions (server_id, version, status, body, sha256, origin, deployed_at)
           values ($1, $2, $3, $4, 'x', 'admin', $5)`,
          [id, String(version), status, JSON.stringify(body), day === undefined ? null : at(day)],
        );
      }
    }
    await migrate(db, all);
    const { rows } = await db.query('select server_id, tool, credits, since, announced from tool_prices order by 1, 2');
    const row = (id: string, tool: string, credits: number, day: number) => ({
      server_id: id,
      tool,
      credits,
      since: at(day),
      announced: false,
    });
    expect(rows).toEqual([
      row('deployed', 'one', 5, 3),
      row('deployed', 'two', 0, 3),
      row('taken-out', 'one', 6, 8),
      row('taken-out', 'two', 0, 8),
    ]);
  });
});
