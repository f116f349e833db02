import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { migrations } from '../../../migrations.ts';
import { createCatalogue, type Catalogue } from '../create-catalogue.ts';
import type { ManifestActor } from './manifest-versions.ts';
import { manifest } from '../testing/weather-server.ts';
import { revisionOf } from './revision.ts';

const log = createLog('silent');
const ann = '11111111-1111-4111-8111-111111111111';
const bob = '22222222-2222-4222-8222-222222222222';
const emailsOf = async () =>
  new Map([
    [ann, 'ann@souk.test'],
    [bob, 'bob@souk.test'],
  ]);

describeOnPostgres('two administrators who were shown the same', migrations, (open) => {
  const staged = (version: string) => (catalogue: Catalogue, by: ManifestActor) =>
    catalogue.upload(manifest('weather', { version }), by);
  const deployed = (version: string) => (catalogue: Catalogue, by: ManifestActor) =>
    catalogue.deploy('weather', version, by);
  const deleted = (catalogue: Catalogue, by: ManifestActor) => catalogue.deleteManifest('weather', by);
  const undeployed = (catalogue: Catalogue, by: ManifestActor) => catalogue.undeploy('weather', by);

  test.each([
    ['stage', 'stage', staged('2.0.0'), staged('2.0.1')],
    ['deploy', 'stage', deployed('1.1.0'), staged('2.0.0')],
    ['deploy', 'deploy', deployed('1.1.0'), deployed('0.9.0')],
    ['deploy', 'delete', deployed('1.1.0'), deleted],
    ['stage', 'delete', staged('2.0.0'), deleted],
    ['delete', 'delete', deleted, deleted],
    ['deploy', 'undeploy', deployed('1.1.0'), undeployed],
    ['undeploy', 'delete', undeployed, deleted],
  ])('%s and %s concurrently: one succeeds, and the other is told', async (_first, _second, one, other) => {
    const db = await open();
    const parts = { db, clock: systemClock, log, emailsOf };
    const brokers = await Promise.all([createCatalogue(parts), createCatalogue(parts)]);
    const [first] = brokers;
    try {
      for (const version of ['0.9.0', '1.0.0']) {
        await first.upload(manifest('weather', { version }), { via: 'command' });
        await first.deploy('weather');
      }
      await first.upload(manifest('weather', { version: '1.1.0' }), { via: 'command' });
      const shown = await first.versions('weather');
      const expected = revisionOf(shown);
      const via = 'administration';
      const outcomes = await Promise.allSettled([
        one(brokers[0], { actorId: ann, via, expected }),
        other(brokers[1], { actorId: bob, via, expected }),
      ]);
      const [told, ...others] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(others).toEqual([]);
      const winner = outcomes[0].status === 'fulfilled' ? ann : bob;
      const now = await first.versions('weather');
      expect(told).toMatchObject({
        code: 'changed_since_shown',
        message: expect.stringContaining(winner === ann ? 'ann@souk.test' : 'bob@souk.test'),
        current: { revision: revisionOf(now), deployedVersion: versionIn(now, 'deployed') ?? null },
      });
      // every version that was stored before is still there, and the audit log has one more decision
      expect(now.map(({ version }) => version)).toEqual(expect.arrayContaining(shown.map(({ version }) => version)));
      const { rows } = await db.query<{ actor_id: string }>(
        `select actor_id from audit_log where subject = 'weather' and actor_id is not null`,
      );
      expect(rows.map((row) => row.actor_id)).toEqual([winner]);
    } finally {
      for (const broker of brokers) await broker.stop();
    }
  });
});

const versionIn = (heads: Awaited<ReturnType<Catalogue['versions']>>, status: string) =>
  heads.find((head) => head.status === status)?.version;
