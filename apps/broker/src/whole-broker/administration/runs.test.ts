import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { manifest as parsedManifest, policy } from '#features/catalogue/testing/weather-server.ts';
import { hasPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { forkBroker } from '#testing/fork-broker.ts';
import { startManifestRuns, type ManifestRuns } from '#testing/manifest-runs.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

// Reload and deploy-all as two administrators see them, on two brokers, also if the broker of a run dies or stops.

describe.skipIf(!hasPostgres())('runs of manifests on two brokers (PostgreSQL)', () => {
  let db: ManifestRuns['db'];
  let replicas: ManifestRuns['replicas'];
  let fixture: ManifestRuns['fixture'];
  let held: ManifestRuns['held'];
  let databaseUrl: ManifestRuns['databaseUrl'];
  let masterKey: ManifestRuns['masterKey'];
  let tokens: ManifestRuns['tokens'];
  let ids: ManifestRuns['ids'];
  let admin: ManifestRuns['admin'];
  let statusOf: ManifestRuns['statusOf'];
  let underWay: ManifestRuns['underWay'];
  let follow: ManifestRuns['follow'];
  let audits: ManifestRuns['audits'];
  let stage: ManifestRuns['stage'];
  let holdDeployments: ManifestRuns['holdDeployments'];
  let started: ManifestRuns | undefined;
  /** Manifest of the server that the tests hold back, with the longest allowed deadlines. */
  let heldManifest: Parameters<typeof deployManifest>[1];

  beforeAll(async () => {
    started = await startManifestRuns();
    ({ db, replicas, fixture, held, databaseUrl, masterKey, tokens, ids } = started);
    ({ admin, statusOf, underWay, follow, audits, stage, holdDeployments } = started);
    const deadlines = { connectMs: 30_000 };
    heldManifest = { id: 'held', connection: { type: 'http', url: held.url }, deadlines };
  });
  afterEach(() => started?.clear());
  afterAll(() => started?.stop());

  test('[MAN-31] [MAN-36] [ADM-15] a reload opens new connections on every broker; a second one joins it at the other broker and gets the same response', async () => {
    held.hold();
    await deployManifest(replicas.apps[0], heldManifest, 'unasked');
    const opened = () => fixture.seen.requests.filter(({ method }) => method === 'initialize').length;
    const connected = () => replicas.apps.every((app) => app.catalogue.snapshot().byId.has('held'));
    await waitUntil('both brokers to know it', connected);
    const before = opened();
    const auditsWere = (await audits('manifests')).length;
    const newAudits = async () => (await audits('manifests')).slice(auditsWere);

    const first = admin(0).reloadManifests();
    const runId = await underWay();
    const second = admin(1, 'eve').reloadManifests();
    await waitUntil('one to be done', async () => (await statusOf(1, runId, 'well')) === 'done');
    expect(await statusOf(1, runId, 'held')).toBe('working');
    const [here, there] = [await follow(0, runId), await follow(1, runId, 'eve')];
    await waitUntil('the second to have joined', async () =>
      (await newAudits()).some(({ action }) => action === 'manifests.run-joined'),
    );
    await waitUntil('both brokers to have opened new connections', () => opened() >= before + 2);
    held.release();

    const answer = {
      success: true,
      reloadedCount: 1,
      errors: [{ id: 'held', message: expect.stringContaining('500') }],
      runId,
    };
    expect([await first, await second]).toEqual([answer, answer]);
    const { rows } = await replicas.apps[0].db.query<{ ended_at: Date }>(
      'select ended_at from manifest_runs where id = $1',
      [runId],
    );
    const endedAt = rows[0]?.ended_at.toISOString();
    for (const stream of [here, there]) {
      await stream.ended;
      const events = stream.events();
      expect(events[0]).toMatchObject({ type: 'run', run: { id: runId, kind: 'reload', status: 'running' } });
      expect(events).toContainEqual({ type: 'item', item: expect.objectContaining({ id: 'held', status: 'failed' }) });
      expect(events.at(-1)).toMatchObject({ type: 'end', run: { status: 'done', endedAt } });
    }
    const { runs } = await admin(1).listManifestRuns();
    expect(runs[0]).toMatchObject({
      id: runId,
      status: 'done',
      startedBy: { id: ids.ann, email: 'ann@souk.test' },
      total: 2,
      done: 1,
      failed: 1,
    });
    expect(await newAudits()).toEqual([
      { actor_id: ids.eve, action: 'manifests.run-joined', details: { kind: 'reload', run: runId } },
      { actor_id: ids.ann, action: 'manifests.reloaded', details: { reloaded: 1, failed: 1 } },
    ]);
  });

  test('[MAN-32] [MAN-35] one failure among six blocks no other, a server that does not respond is live and reported with its reason, and bundled drafts stay staged', async () => {
    for (const id of ['a', 'b', 'd', 'e']) await stage(id);
    const then = { ...policy, stdioAliases: new Set(['nothing']) };
    const forbidden = parsedManifest('c', { connection: { type: 'stdio', command: 'nothing' } }, then);
    await replicas.apps[0].catalogue.upload(forbidden, { via: 'command' });
    await replicas.apps[0].catalogue.stage(parsedManifest('draft'), { origin: 'bundled' });

    held.release();
    await stage('f', held.url);

    const message = `Failed to deploy manifest: connection.command: "nothing" is not on this installation's allow-list of commands`;
    const unanswered = 'It is live, but the server answered with an error: HTTP 500.';
    const reason = 'The release of Monday';
    const answer = await admin(1).deployAllManifests({ body: { reason } });
    expect(answer).toMatchObject({
      deployed: 5,
      failed: 1,
      errors: [
        { id: 'c', message },
        { id: 'f', message: unanswered },
      ],
    });
    const { run } = await admin(0).getManifestRun({ params: { id: answer.runId } });
    expect(run.items.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'a done',
      'b done',
      'c failed',
      'd done',
      'e done',
      'f unanswered',
    ]);
    expect(run.items.at(-1)).toEqual({
      id: 'f',
      name: 'F',
      version: '1.0.0',
      status: 'unanswered',
      message: unanswered,
    });
    expect(run.items[0]).toEqual({ id: 'a', name: 'A', version: '1.0.0', status: 'done' });
    // finished deployments are live when the response comes, and the other broker is notified
    expect(replicas.apps[1].catalogue.snapshot().byId.has('e')).toBe(true);
    await waitUntil('the other broker to know', () => replicas.apps[0].catalogue.snapshot().byId.has('e'));
    const manifests = await admin(0).all();
    expect(manifests.find(({ id }) => id === 'draft')).toMatchObject({ isActive: false, stagedOrigin: 'bundled' });
    expect(manifests.find(({ id }) => id === 'c')).toMatchObject({ isActive: false, stagedVersion: '1.0.0' });
    expect((await audits('a')).at(-1)).toMatchObject({ actor_id: ids.ann, action: 'manifest.deployed' });
    expect((await audits('manifests')).at(-1)).toEqual({
      actor_id: ids.ann,
      action: 'manifests.deployed',
      details: { deployed: ['a', 'b', 'd', 'e', 'f'], failed: ['c'], unanswered: ['f'] },
    });
    expect(run.reason).toBe(reason);
    const { rows: reasons } = await db.query<{ subject: string }>(
      'select subject from audit_log where reason = $1 order by id',
      [reason],
    );
    expect(reasons.map(({ subject }) => subject)).toEqual(['a', 'b', 'd', 'e', 'f', 'manifests']);
    expect(await admin(1).deployManifest({ params: { id: 'draft' }, body: {} })).toMatchObject({ result: 'deployed' });
  });

  test('a run continues when its requester disconnects, and does not deploy a version that was removed meanwhile', async () => {
    await Promise.all(['first', 'second', 'taken'].map((id) => stage(id)));
    const release = await holdDeployments();
    const client = new AbortController();
    const asked = admin(0, 'ann', client.signal).deployAllManifests({ body: {} });
    const runId = await underWay();
    await waitUntil('it to work', async () => (await statusOf(1, runId, 'first')) === 'working');
    client.abort();
    await expect(asked).rejects.toThrow('Network error occurred');
    await db.query(`update manifest_versions set status = 'superseded' where server_id = 'taken'`);
    await release();
    const whole = async () => (await admin(1).getManifestRun({ params: { id: runId } })).run;
    await waitUntil('the run to end', async () => (await whole()).status === 'done');
    expect((await whole()).items).toEqual([
      { id: 'first', name: 'FIRST', version: '1.0.0', status: 'done' },
      { id: 'second', name: 'SECOND', version: '1.0.0', status: 'done' },
      {
        id: 'taken',
        name: 'TAKEN',
        version: '1.0.0',
        status: 'failed',
        message: 'Failed to deploy manifest: Version 1.0.0 is not staged any more',
      },
    ]);
  });

  test('streams are limited per administrator, and end when their sign-in ends', async () => {
    held.hold();
    await deployManifest(replicas.apps[0], heldManifest, 'unasked');
    const reload = admin(0).reloadManifests();
    const runId = await underWay();
    const signInEve = async () => {
      const { accessToken } = await new ScriptedBrowser(replicas.publicUrl).signInWeb({ email: 'eve@souk.test' });
      tokens.eve = accessToken;
    };
    // she is signed out everywhere
    onTestFinished(signInEve);
    const streams = [];
    for (let opened = 0; opened < 6; opened++) streams.push(await follow(1, runId, 'eve'));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(streams[0]?.headers.get('content-type')).toBe('text/event-stream');
    expect((await follow(1, runId, 'eve')).status).toBe(429);
    expect((await follow(0, runId)).status, 'of another one').toBe(200);
    expect((await follow(1, '00000000-0000-7000-8000-000000000000')).status).toBe(404);
    await fetch(`${replicas.publicUrl}/auth/sign-out-everywhere`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.eve}`, ...replicas.at(0) },
    });
    await Promise.all(streams.map(({ ended }) => ended));
    expect(streams[0]?.events().at(-1)?.type, 'without its end').not.toBe('end');
    held.release();
    await reload;
  });

  test('the newest twenty runs are kept', async () => {
    for (let round = 0; round < 21; round++) await admin(round % 2).deployAllManifests({ body: {} });
    const { runs } = await admin(0).listManifestRuns();
    expect(runs).toHaveLength(20);
    const { rows } = await db.query<{ count: number }>('select count(*)::int as count from manifest_runs');
    expect(rows).toEqual([{ count: 20 }]);
  });

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

  test('a run whose broker is killed is finished by another one, and abandoned when too many have died in it', async () => {
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

    // three brokers die during the next one
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
          message: 'Failed to deploy manifest: The process that worked on it ended, and no other could continue.',
        },
      ],
    });
    const { run } = await admin(1).getManifestRun({ params: { id: nextId } });
    expect(run.status).toBe('interrupted');
    await releaseAgain();
    expect((await admin(1).all()).find(({ id }) => id === 'deadly')).toMatchObject({ isActive: false });
  });

  test('a broker that stops hands its run over to the other immediately', async () => {
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
    expect(rows, 'its death was not waited for').toEqual([{ takeovers: 0 }]);
    await restarted;
  });

  test('a broker that stops while a deployed server has not responded leaves the query to the other', async () => {
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

  test('a run whose database connections are cut continues, and this does not count as the death of a broker', async () => {
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
    // more often than brokers may die in a run
    for (let cut = 1; cut <= 4; cut += 1) await waitUntil(`the deployment to be cut ${cut} times`, cutWhoWaits);
    await release();
    expect(await asked).toMatchObject({ deployed: 1, failed: 0, errors: [], runId });
    const { rows } = await db.query('select takeovers, status from manifest_runs where id = $1', [runId]);
    expect(rows).toEqual([{ takeovers: 0, status: 'done' }]);
    expect((await audits('cut')).filter(({ action }) => action === 'manifest.deployed')).toHaveLength(1);
  });
});
