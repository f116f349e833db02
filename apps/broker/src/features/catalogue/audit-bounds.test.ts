import { expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { migrations } from '../../migrations.ts';
import { createCatalogue } from './create-catalogue.ts';
import type { Discovered } from './discovery/discovered.ts';
import { parseManifest } from './manifests/parse-manifest.ts';

const policy = { stdioAliases: new Set<string>(), services: new Set<string>(), addressProblem: () => undefined };
const manifest = (id: string) =>
  parseManifest(
    JSON.stringify({
      id,
      name: id,
      serviceType: 'mcp',
      version: '1.0.0',
      description: 'A server.',
      category: 'data',
      connection: { type: 'http', url: 'https://a.example.com/mcp' },
    }),
    policy,
  );

/** Tools with the texts and schemas of this round: every second tool has a change under review. */
const listOf = (round: number): Discovered => ({
  era: 'modern',
  instructions: undefined,
  tools: Array.from({ length: 10 }, (_, index) => ({
    name: `tool_${index}`,
    description: `Round ${round}`,
    inputSchema: index % 2 === 0 ? { type: 'object' } : { type: 'object', required: [`r${round % 2}`] },
  })),
  prompts: [],
  resources: [],
  templates: [],
});

const rowsOf = async (db: Database, serverId: string) =>
  (
    await db.query<{ action: string; details: Record<string, unknown> }>(
      `select action, details from audit_log where subject = $1 or starts_with(subject, $1 || '/') order by id`,
      [serverId],
    )
  ).rows;
/** Records what the server caused earlier on this day: as much as it causes in minutes, without waiting for it. */
async function causedBefore(db: Database, serverId: string, at: string, count: number): Promise<void> {
  await db.query(
    `insert into audit_log (at, action, subject, source)
      select $1::timestamptz, 'tool-change.accepted', $2 || '/a', $2 from generate_series(1, $3::int)`,
    [at, serverId, count],
  );
  await db.query(
    `insert into tool_changes (server_id, tool, kind, status, after, after_sha256, found_at)
      select $2, 'a', 'text', 'accepted', '{}', '', $1::timestamptz from generate_series(1, $3::int)`,
    [at, serverId, count],
  );
}
const changesOf = async (db: Database, status: string) =>
  (await db.query<{ n: number }>(`select count(*)::int as n from tool_changes where status = $1`, [status])).rows[0]?.n;

describeOnDatabases('a server that keeps changing its tools', migrations, (open) => {
  test('leaves at most 600 audit rows a day, the last of which says so, and 600 undecided changes; actions of users are always recorded', async () => {
    const db = await open();
    const lines: string[] = [];
    let nowMs = Date.parse('2026-11-20T22:00:00Z');
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const catalogue = await createCatalogue({ db, clock: { now: () => nowMs }, log });
    for (const id of ['flapping', 'quiet']) {
      await catalogue.stage(manifest(id), { origin: 'admin' });
      await catalogue.deploy(id, '1.0.0');
      await catalogue.storeDiscovery(id, listOf(0));
    }
    await causedBefore(db, 'flapping', '2026-11-20T00:00:00Z', 585);
    for (let round = 1; round <= 4; round++) {
      nowMs += 10_000;
      await catalogue.storeDiscovery('flapping', listOf(round));
    }
    const [deployed, ...rows] = await rowsOf(db, 'flapping');
    expect(deployed?.action).toBe('manifest.deployed');
    expect(rows).toHaveLength(600);
    expect(rows.filter(({ action }) => action === 'audit.limit-reached')).toEqual(rows.slice(-1));
    // the first ten fit, and four of the next ten
    expect(rows.at(-1)?.details).toEqual({ leftOut: 6 });
    // each line of the log says how many changes it left out
    const told = lines.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ changed }) => changed);
    expect(told[0]).not.toHaveProperty('notAudited');
    expect(told.at(-1)).toMatchObject({ server: 'flapping', notAudited: 10 });

    const undecided = ((await changesOf(db, 'accepted')) ?? 0) + ((await changesOf(db, 'withdrawn')) ?? 0);
    expect(undecided).toBe(600);

    // another server has its own rows, and so do users
    await catalogue.storeDiscovery('quiet', listOf(2));
    expect((await rowsOf(db, 'quiet')).at(-1)).toMatchObject({ action: 'tool-change.accepted' });
    await catalogue.storeDiscovery('flapping', listOf(5));
    const [pending] = await catalogue.toolChanges({ status: 'pending', serverId: 'flapping' });
    await catalogue.decideToolChange(pending?.id ?? 0, { verdict: 'approved', by: undefined, reason: 'read it' });
    const afterwards = (await rowsOf(db, 'flapping')).slice(1 + 600);
    expect(afterwards.map(({ action }) => action)).toEqual(['tool-change.approved']);

    // the next day starts at zero
    nowMs += 2 * 60 * 60_000;
    await catalogue.storeDiscovery('flapping', listOf(6));
    await catalogue.undeploy('flapping', { via: 'command' });
    const nextDay = (await rowsOf(db, 'flapping')).slice(1 + 600 + 1).map(({ action }) => action);
    expect(new Set(nextDay)).toEqual(
      new Set(['tool-change.accepted', 'tool-change.under-review', 'manifest.undeployed']),
    );
    expect(nextDay).toHaveLength(10 + 1);
    expect(await changesOf(db, 'approved')).toBe(1);
    await catalogue.stop();
  });
});
