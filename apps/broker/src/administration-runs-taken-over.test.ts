import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasPostgres } from '#testing/databases.ts';
import { forkBroker } from '#testing/fork-broker.ts';
import { startManifestRuns, type ManifestRuns } from '#testing/manifest-runs.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

// A run whose broker dies or stops, as two administrators see it at the others.

describe.skipIf(!hasPostgres())('runs of manifests at two brokers (PostgreSQL)', () => {
  let db: ManifestRuns['db'];
  let replicas: ManifestRuns['replicas'];
  let fixture: ManifestRuns['fixture'];
  let held: ManifestRuns['held'];
  let databaseUrl: ManifestRuns['databaseUrl'];
  let masterKey: ManifestRuns['masterKey'];
  let admin: ManifestRuns['admin'];
  let statusOf: ManifestRuns['statusOf'];
  let underWay: ManifestRuns['underWay'];
  let audits: ManifestRuns['audits'];
  let stage: ManifestRuns['stage'];
  let holdDeployments: ManifestRuns['holdDeployments'];
  let started: ManifestRuns | undefined;

  beforeAll(async () => {
    started = await startManifestRuns();
    ({
      db,
      replicas,
      fixture,
      held,
      databaseUrl,
      masterKey,
      admin,
      statusOf,
      underWay,
      audits,
      stage,
      holdDeployments,
    } = started);
  });
  afterEach(() => started?.clear());
  afterAll(() => started?.stop());

  const dies = () =>
    db.query(`update manifest_runs set beat_at = beat_at - interval '1 minute' where status = 'running'`);

  async function forkThird() {
    const env = {
      PUBLIC_URL: replicas.publicUrl,
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKey,
      ADMIN_EMAILS: 'ann@souk.test,eve@souk.test',
      ...withoutHealthChecks,
    };
    return forkBroker(env, [fixture.address]);
  }

  test('a run whose broker is killed is finished by another one, and given up when too many have died of it', async () => {
    await Promise.all([stage('one'), stage('two')]);
    const third = await forkThird();
    const release = await holdDeployments();
    const lost = admin(third.port).deployAllManifests({ body: {} });
    lost.catch(() => {});
    const runId = await underWay();
    const joined = admin(1, 'eve').deployAllManifests({ body: {} });
    await waitUntil('it to work', async () => (await statusOf(0, runId, 'one')) === 'working');
    await third.kill();
    await expect(lost).rejects.toMatchObject({ status: 502 });
    await release();
    await dies();
    expect(await joined).toMatchObject({ deployed: 2, failed: 0, errors: [], runId });
    expect((await audits('one')).filter(({ action }) => action === 'manifest.deployed')).toHaveLength(1);

    // the next one is left by three brokers
    await stage('deadly');
    const releaseAgain = await holdDeployments();
    const poisoned = admin(0).deployAllManifests({ body: {} });
    const nextId = await underWay();
    await db.query(`update manifest_runs set takeovers = 2, broker_id = gen_random_uuid() where id = $1`, [nextId]);
    await dies();
    expect(await poisoned).toMatchObject({
      deployed: 0,
      failed: 1,
      errors: [
        {
          id: 'deadly',
          message: 'Failed to deploy manifest: The process that worked on it ended, and no other could go on.',
        },
      ],
    });
    const { run } = await admin(1).getManifestRun({ params: { id: nextId } });
    expect(run.status).toBe('interrupted');
    await releaseAgain();
    expect((await admin(1).all()).find(({ id }) => id === 'deadly')).toMatchObject({ isActive: false });
  });

  test('a broker that stops leaves its run to the other at once', async () => {
    await stage('left');
    const release = await holdDeployments();
    const asked = admin(0).deployAllManifests({ body: {} });
    asked.catch(() => {});
    const runId = await underWay();
    const joined = admin(1, 'eve').deployAllManifests({ body: {} });
    await waitUntil('it to work', async () => (await statusOf(1, runId, 'left')) === 'working');
    const restarted = replicas.restart(0);
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    await release();
    expect(await joined).toMatchObject({ deployed: 1, failed: 0, runId });
    const { rows } = await db.query('select takeovers from manifest_runs where id = $1', [runId]);
    expect(rows, 'nobody has waited for its death').toEqual([{ takeovers: 0 }]);
    await restarted;
  });

  test('a broker that stops while a deployed server has not answered leaves the question to the other', async () => {
    held.hold();
    await stage('mute', held.url);
    const asked = admin(0).deployAllManifests({ body: {} });
    asked.catch(() => {});
    const runId = await underWay();
    const joined = admin(1, 'eve').deployAllManifests({ body: {} });
    await waitUntil('it to be live', async () => (await statusOf(1, runId, 'mute')) === 'asking');
    const restarted = replicas.restart(0);
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    held.release();
    const message = 'It is live, but the server answered with an error: HTTP 500.';
    expect(await joined).toEqual({ success: true, deployed: 1, failed: 0, errors: [{ id: 'mute', message }], runId });
    expect((await audits('mute')).filter(({ action }) => action === 'manifest.deployed')).toHaveLength(1);
    await restarted;
  });

  test('a run whose database connections are cut goes on, and counts no death of a broker', async () => {
    await stage('cut');
    const release = await holdDeployments();
    const asked = admin(0).deployAllManifests({ body: {} });
    const runId = await underWay();
    const cutWhoWaits = async () => {
      const { rows } = await db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`,
      );
      return rows.length > 0;
    };
    // more often than brokers may die of a run
    for (let cut = 1; cut <= 4; cut += 1) await waitUntil(`the deployment to be cut ${cut} times`, cutWhoWaits);
    await release();
    expect(await asked).toMatchObject({ deployed: 1, failed: 0, errors: [], runId });
    const { rows } = await db.query('select takeovers, status from manifest_runs where id = $1', [runId]);
    expect(rows).toEqual([{ takeovers: 0, status: 'done' }]);
    expect((await audits('cut')).filter(({ action }) => action === 'manifest.deployed')).toHaveLength(1);
  });
});
