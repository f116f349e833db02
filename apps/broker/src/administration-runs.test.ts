import { adminManifestRunEndpoints, manifestRunEventSchema } from '@souk/contract/admin-manifest-runs.ts';
import { adminManifestEndpoints } from '@souk/contract/admin-manifests.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { manifest as parsedManifest, policy } from '#features/catalogue/testing/weather-server.ts';
import type { Database } from '#platform/db/database.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres } from '#testing/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { forkBroker } from '#testing/fork-broker.ts';
import { startHeldServer, type HeldServer } from '#testing/held-server.ts';
import { startHttpFixture, type HttpFixture } from '#testing/mcp-fixture.ts';
import { openStream } from '#testing/open-stream.ts';
import { ScriptedBrowser } from '#testing/scripted-browser.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from './migrations.ts';

// Reload and deploy-all as two administrators see them, at two brokers and one that dies.

describe.skipIf(!hasPostgres())('runs of manifests at two brokers (PostgreSQL)', () => {
  let db: Database;
  let replicas: Replicas;
  let fixture: HttpFixture;
  let held: HeldServer;
  let databaseUrl = '';
  let masterKey = '';
  let aheadMs = 0;
  const tokens = { ann: '', eve: '' };
  const ids = { ann: '', eve: '' };

  beforeAll(async () => {
    databaseUrl = await createPostgresDatabase();
    const connect = () => openDatabase({ databaseUrl, dataDir: '', log: createLog('silent'), migrations });
    [db, fixture, held] = await Promise.all([connect(), startHttpFixture('legacy'), startHeldServer()]);
    masterKey = Buffer.alloc(32, 7).toString('base64url');
    replicas = await startReplicas(connect, {
      allowAddresses: [fixture.address, held.address],
      env: { ...withoutHealthChecks, ADMIN_EMAILS: 'ann@souk.test,eve@souk.test', MASTER_KEY: masterKey },
      clock: { now: () => Date.now() + aheadMs },
    });
    for (const name of ['ann', 'eve'] as const) {
      const email = `${name}@souk.test`;
      ({ accessToken: tokens[name] } = await new ScriptedBrowser(replicas.publicUrl).signInWeb({ email }));
      const { rows } = await db.query<{ id: string }>('select id from users where email = $1', [email]);
      ids[name] = rows[0]?.id ?? '';
    }
    await deployManifest(replicas.apps[0], { id: 'well', connection: { type: 'http', url: fixture.url } });
  });
  let letGo = async () => {};
  afterEach(async () => {
    held.release();
    await letGo();
    for (const { id } of await admin(0).all()) {
      if (id !== 'well') await replicas.apps[0].catalogue.deleteManifest(id, { via: 'command' });
    }
  });
  afterAll(async () => {
    await replicas?.stop();
    await db?.close();
    await Promise.all([fixture?.close(), held?.close()]);
  });

  /** An administrator's client of one broker. */
  function admin(broker: number, who: keyof typeof tokens = 'ann', signal?: AbortSignal) {
    const api = createClient([...adminManifestEndpoints, ...adminManifestRunEndpoints], {
      baseUrl: replicas.publicUrl,
      token: async () => tokens[who],
      fetch: (input, init) =>
        fetch(input, {
          ...init,
          headers: { ...Object(init?.headers), ...replicas.at(broker) },
          ...(signal && { signal }),
        }),
    });
    return { ...api, all: async () => (await api.listManifests({ query: {} })).manifests };
  }

  const statusOf = async (broker: number, id: string, serverId: string) =>
    (await admin(broker).getManifestRun({ params: { id } })).run.items.find((item) => item.id === serverId)?.status;

  /** The run under way, as a broker tells it. */
  async function underWay(broker = 1) {
    let runId: string | undefined;
    await waitUntil('a run to be under way', async () => {
      const { runs } = await admin(broker).listManifestRuns();
      runId = runs.find(({ status }) => status === 'running')?.id;
      return runId !== undefined;
    });
    return runId ?? '';
  }

  async function follow(broker: number, runId: string, who: keyof typeof tokens = 'ann') {
    const stream = await openStream(`${replicas.publicUrl}/admin/manifests/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${tokens[who]}`, ...replicas.at(broker) },
    });
    return { ...stream, events: () => stream.messages().map((event) => manifestRunEventSchema.parse(event)) };
  }

  const audits = async (subject: string) =>
    (
      await db.query<{ actor_id: string | null; action: string; details: object }>(
        'select actor_id, action, details from audit_log where subject = $1 order by id',
        [subject],
      )
    ).rows;

  const stage = (id: string, url = fixture.url) =>
    replicas.apps[0].catalogue.upload(parsedManifest(id, { connection: { type: 'http', url } }, policy), {
      via: 'administration',
      actorId: ids.ann,
    });

  /** No manifest can be deployed until it is called. */
  async function holdDeployments(): Promise<() => Promise<void>> {
    const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction = db.transaction(async (query) => {
      await query(`select pg_advisory_xact_lock(hashtext('souk:deployments'))`);
      begun.resolve();
      await release.promise;
    });
    await begun.promise;
    letGo = async () => {
      release.resolve();
      await transaction;
    };
    return letGo;
  }

  test('[MAN-31] [MAN-36] [ADM-15] a reload opens new connections on every broker; a second one joins it at the other broker and is answered the same', async () => {
    held.hold();
    await deployManifest(replicas.apps[0], { id: 'held', connection: { type: 'http', url: held.url } }, 'unasked');
    const opened = () => fixture.seen.requests.filter(({ method }) => method === 'initialize').length;
    const connected = () => replicas.apps.every((app) => app.catalogue.snapshot().byId.has('held'));
    await waitUntil('both brokers to know it', connected);
    const before = opened();
    aheadMs += 11_000;

    const first = admin(0).reloadManifests();
    const runId = await underWay();
    const second = admin(1, 'eve').reloadManifests();
    await waitUntil('one to be done', async () => (await statusOf(1, runId, 'well')) === 'done');
    expect(await statusOf(1, runId, 'held')).toBe('working');
    const [here, there] = [await follow(0, runId), await follow(1, runId, 'eve')];
    await waitUntil('the second to have joined', async () =>
      (await audits('manifests')).some(({ action }) => action === 'manifests.run-joined'),
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
    for (const stream of [here, there]) {
      await stream.ended;
      const events = stream.events();
      expect(events[0]).toMatchObject({ type: 'run', run: { id: runId, kind: 'reload', status: 'running' } });
      expect(events).toContainEqual({ type: 'item', item: expect.objectContaining({ id: 'held', status: 'failed' }) });
      expect(events.at(-1)).toMatchObject({ type: 'end', run: { status: 'done', endedAt: expect.any(String) } });
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
    expect(await audits('manifests')).toEqual([
      { actor_id: ids.eve, action: 'manifests.run-joined', details: { kind: 'reload', run: runId } },
      { actor_id: ids.ann, action: 'manifests.reloaded', details: { reloaded: 1, failed: 1 } },
    ]);
  });

  test('[MAN-32] [MAN-35] one of five that fails keeps no other back, and bundled drafts stay staged', async () => {
    for (const id of ['a', 'b', 'd', 'e']) await stage(id);
    const then = { ...policy, stdioAliases: new Set(['nothing']) };
    const forbidden = parsedManifest('c', { connection: { type: 'stdio', command: 'nothing' } }, then);
    await replicas.apps[0].catalogue.upload(forbidden, { via: 'command' });
    await replicas.apps[0].catalogue.stage(parsedManifest('draft'), { origin: 'bundled' });

    const message = `Failed to deploy manifest: connection.command: "nothing" is not on this installation's allow-list of commands`;
    const answer = await admin(1).deployAllManifests();
    expect(answer).toMatchObject({ deployed: 4, failed: 1, errors: [{ id: 'c', message }] });
    const { run } = await admin(0).getManifestRun({ params: { id: answer.runId } });
    expect(run.items.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'a done',
      'b done',
      'c failed',
      'd done',
      'e done',
    ]);
    expect(run.items[0]).toEqual({ id: 'a', version: '1.0.0', status: 'done' });
    // what is done is live when the answer comes, and the other broker hears of it
    expect(replicas.apps[1].catalogue.snapshot().byId.has('e')).toBe(true);
    await waitUntil('the other broker to know', () => replicas.apps[0].catalogue.snapshot().byId.has('e'));
    const manifests = await admin(0).all();
    expect(manifests.find(({ id }) => id === 'draft')).toMatchObject({ isActive: false, stagedOrigin: 'bundled' });
    expect(manifests.find(({ id }) => id === 'c')).toMatchObject({ isActive: false, stagedVersion: '1.0.0' });
    expect((await audits('a')).at(-1)).toMatchObject({ actor_id: ids.ann, action: 'manifest.deployed' });
    expect((await audits('manifests')).at(-1)).toEqual({
      actor_id: ids.ann,
      action: 'manifests.deployed',
      details: { deployed: ['a', 'b', 'd', 'e'], failed: ['c'] },
    });
    expect(await admin(1).deployManifest({ params: { id: 'draft' }, body: {} })).toMatchObject({ result: 'deployed' });
  });

  test('a run goes on when the one who asked for it hangs up, and does not deploy what was taken out meanwhile', async () => {
    await Promise.all(['first', 'second', 'taken'].map((id) => stage(id)));
    const release = await holdDeployments();
    const client = new AbortController();
    const asked = admin(0, 'ann', client.signal).deployAllManifests();
    const runId = await underWay();
    await waitUntil('it to work', async () => (await statusOf(1, runId, 'first')) === 'working');
    client.abort();
    await expect(asked).rejects.toThrow('Network error occurred');
    await db.query(`update manifest_versions set status = 'superseded' where server_id = 'taken'`);
    await release();
    const whole = async () => (await admin(1).getManifestRun({ params: { id: runId } })).run;
    await waitUntil('the run to end', async () => (await whole()).status === 'done');
    expect((await whole()).items).toEqual([
      { id: 'first', version: '1.0.0', status: 'done' },
      { id: 'second', version: '1.0.0', status: 'done' },
      {
        id: 'taken',
        version: '1.0.0',
        status: 'failed',
        message: 'Failed to deploy manifest: Version 1.0.0 is not staged any more',
      },
    ]);
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

  test('a run whose broker is killed is finished by another one, and given up when too many have died of it', async () => {
    await Promise.all([stage('one'), stage('two')]);
    const third = await forkThird();
    const release = await holdDeployments();
    const lost = admin(third.port).deployAllManifests();
    lost.catch(() => {});
    const runId = await underWay();
    const joined = admin(1, 'eve').deployAllManifests();
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
    const poisoned = admin(0).deployAllManifests();
    const nextId = await underWay();
    await db.query(`update manifest_runs set takeovers = 2, broker_id = gen_random_uuid() where id = $1`, [nextId]);
    await dies();
    expect(await poisoned).toMatchObject({
      deployed: 0,
      failed: 1,
      errors: [
        {
          id: 'deadly',
          message: 'Failed to deploy manifest: The broker that worked on it ended, and no other could go on.',
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
    const asked = admin(0).deployAllManifests();
    asked.catch(() => {});
    const runId = await underWay();
    const joined = admin(1, 'eve').deployAllManifests();
    await waitUntil('it to work', async () => (await statusOf(1, runId, 'left')) === 'working');
    const restarted = replicas.restart(0);
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    await release();
    expect(await joined).toMatchObject({ deployed: 1, failed: 0, runId });
    const { rows } = await db.query('select takeovers from manifest_runs where id = $1', [runId]);
    expect(rows, 'nobody has waited for its death').toEqual([{ takeovers: 0 }]);
    await restarted;
  });

  test('streams are bounded for each administrator, and end when their sign-in ends', async () => {
    held.hold();
    await deployManifest(replicas.apps[0], { id: 'held', connection: { type: 'http', url: held.url } }, 'unasked');
    aheadMs += 11_000;
    const reload = admin(0).reloadManifests();
    const runId = await underWay();
    const { accessToken } = await new ScriptedBrowser(replicas.publicUrl).signInWeb({ email: 'eve@souk.test' });
    tokens.eve = accessToken;
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
    for (let round = 0; round < 21; round++) await admin(round % 2).deployAllManifests();
    const { runs } = await admin(0).listManifestRuns();
    expect(runs).toHaveLength(20);
    const { rows } = await db.query<{ count: number }>('select count(*)::int as count from manifest_runs');
    expect(rows).toEqual([{ count: 20 }]);
  });
});
