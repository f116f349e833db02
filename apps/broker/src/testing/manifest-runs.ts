import { randomBytes } from 'node:crypto';
import { adminManifestRunEndpoints, manifestRunEventSchema } from '@souk/contract/admin/manifest-runs.ts';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { createClient } from '@souk/contract/client.ts';
import { manifest as parsedManifest, policy } from '#features/catalogue/testing/weather-server.ts';
import { connectPatiently, createPostgresDatabase } from './databases/databases.ts';
import { deployManifest } from './deploy-manifest.ts';
import { startHeldServer } from './servers/held-server.ts';
import { startHttpFixture } from './servers/mcp-fixture.ts';
import { openStream } from './people/open-stream.ts';
import { ScriptedBrowser } from './people/scripted-browser.ts';
import { withoutHealthChecks } from './start-app.ts';
import { startReplicas } from './start-replicas.ts';
import { waitUntil } from './wait-until.ts';

export type ManifestRuns = Awaited<ReturnType<typeof startManifestRuns>>;

/**
 * Starts two brokers on one PostgreSQL database, with two administrators, a server that responds and one whose
 * responses can be held back.
 */
export async function startManifestRuns() {
  const databaseUrl = await createPostgresDatabase();
  const connect = () => connectPatiently(databaseUrl);
  const [db, fixture, held] = await Promise.all([connect(), startHttpFixture('legacy'), startHeldServer()]);
  const masterKey = randomBytes(32).toString('base64url');
  const replicas = await startReplicas(connect, {
    allowAddresses: [fixture.address, held.address],
    env: { ...withoutHealthChecks, ADMIN_EMAILS: 'ann@souk.test,eve@souk.test', MASTER_KEY: masterKey },
  });
  const tokens = { ann: '', eve: '' };
  const ids = { ann: '', eve: '' };
  for (const name of ['ann', 'eve'] as const) {
    const email = `${name}@souk.test`;
    ({ accessToken: tokens[name] } = await new ScriptedBrowser(replicas.publicUrl).signInWeb({ email }));
    const { rows } = await db.query<{ id: string }>('select id from users where email = $1', [email]);
    ids[name] = rows[0]?.id ?? '';
  }
  await deployManifest(replicas.apps[0], { id: 'well', connection: { type: 'http', url: fixture.url } });
  let letGo = async () => {};

  /** Returns an administrator's client of one broker. */
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

  /** Returns the current run, as a broker reports it. */
  async function underWay(broker = 1) {
    let runId: string | undefined;
    await waitUntil('a run to be in progress', async () => {
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

  /** Blocks all deployments until the returned function is called. */
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

  return {
    db,
    replicas,
    fixture,
    held,
    databaseUrl,
    masterKey,
    tokens,
    ids,
    admin,
    statusOf,
    underWay,
    follow,
    audits,
    stage,
    holdDeployments,
    /** Cleans up after a test: nothing is held back any more, and its servers are deleted. */
    async clear() {
      held.release();
      await letGo();
      for (const { id } of await admin(0).all()) {
        if (id !== 'well') await replicas.apps[0].catalogue.deleteManifest(id, { via: 'command' });
      }
    },
    async stop() {
      await replicas.stop();
      await db.close();
      await Promise.all([fixture.close(), held.close()]);
    },
  };
}
