import { randomBytes } from 'node:crypto';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { adminSecretEndpoints } from '@souk/contract/admin/secrets.ts';
import { createClient, type Client } from '@souk/contract/client.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { startDemandingServer, type DemandingServer } from '#testing/servers/demanding-server.ts';
import { forkBroker, type ForkedBroker } from '#testing/fork-broker.ts';
import { freePort } from '#testing/network/free-port.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { manifestText, testingAdministrator } from '../connection-test/testing/testing-administrator.ts';

// A broker is killed while it changes a secret: in the transaction, and between its commit and the response.

const before = 'Bearer of-before';
const after = 'Bearer of-after';
/** A server for each test. */
const ids = ['early', 'late'];

describe.skipIf(!hasPostgres())('a kill in the middle of a change of a secret (PostgreSQL)', () => {
  let server: DemandingServer;
  let db: Database;
  let databaseUrl: string;
  let environment: NodeJS.ProcessEnv;
  let publicUrl: string;
  /** The broker that is killed, and the one before and after it in this process, at the same address. */
  let broker: ForkedBroker | undefined;
  let app: TestApp | undefined;
  let api: Client<typeof endpoints>;
  let token: string;
  const taking: (() => Promise<void>)[] = [];
  const endpoints = [...adminSecretEndpoints, ...adminManifestEndpoints] as const;

  async function start(): Promise<void> {
    const opened = await connectPatiently(databaseUrl);
    app = await startTestApp({ db: opened, env: environment, allowAddresses: [server.address] });
    await app.serversAsked;
  }
  async function stop(): Promise<void> {
    await app?.stop();
    app = undefined;
  }

  beforeAll(async () => {
    server = await startDemandingServer('x-key', { accept: [before, after] });
    const port = await freePort();
    databaseUrl = await createPostgresDatabase();
    publicUrl = `http://localhost:${port}`;
    db = await connectPatiently(databaseUrl);
    environment = {
      ...withoutHealthChecks,
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      DATABASE_URL: databaseUrl,
      MASTER_KEY: randomBytes(32).toString('base64url'),
    };
    await start();
    const { accessToken } = await testingAdministrator(publicUrl);
    api = createClient(endpoints, { baseUrl: publicUrl, fetch, token: async () => accessToken });
    ({ accessToken: token } = await new ScriptedBrowser(publicUrl).signInMcpClient({ email: 'ann@souk.test' }));
    const auth = { type: 'headers', headers: [{ name: 'X-Key', from: 'operator' }] };
    for (const id of ids) {
      const body = manifestText({ id, connection: { type: 'http', url: server.url }, auth });
      await api.createManifest({ query: {}, body });
      await api.deployManifest({ params: { id }, body: {} });
      await change(id, before);
    }
    await waitUntil('the servers to be connected', async () =>
      (await api.listManifests({ query: {} })).manifests.every(({ status }) => status === 'connected'),
    );
    await stop();
  });
  beforeEach(async () => {
    broker = await forkBroker(environment, [server.address]);
  });
  afterEach(async () => {
    await broker?.kill();
    await Promise.all(taking.splice(0).map((letGo) => letGo()));
    await stop();
  });
  afterAll(async () => {
    await stop();
    await db?.close();
    await server?.close();
  });

  const change = (id: string, value: string) =>
    api.setServerSecret({
      params: { id },
      body: { kind: 'header', name: 'X-Key', place: server.url, value },
    });

  /** Returns the value that the server receives with the next call that it answers. */
  async function valueOfCalls(id: string): Promise<string | undefined> {
    const client = await connectModern(`${publicUrl}/mcp`, token);
    try {
      const answer = await client.callTool({ name: `${id}__echo`, arguments: { text: 'hi' } });
      expect(JSON.stringify(answer)).toContain('"hi"');
      return server.sent.at(-1);
    } finally {
      await client.close();
    }
  }

  /** Makes a change whose response never comes. */
  function changeInVain(id: string): Promise<unknown> {
    const lost = change(id, after);
    // it is expected to be lost once its broker is killed
    lost.catch(() => {});
    return lost;
  }

  async function audited(id: string): Promise<unknown[]> {
    const { rows } = await db.query<{ action: string }>(
      `select action from audit_log where subject = $1 and action like 'secret.%' order by id`,
      [id],
    );
    return rows.map(({ action }) => action);
  }

  /** Locks a table in a separate transaction as soon as it is free, until it is released. */
  function take(table: string): { taken: Promise<void>; letGo(): Promise<void> } {
    const [taken, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const over = db.transaction(async (query) => {
      await query(`lock table ${table} in access exclusive mode`);
      taken.resolve();
      await end.promise;
    });
    async function letGo(): Promise<void> {
      end.resolve();
      await over;
    }
    taking.push(letGo);
    return { taken: taken.promise, letGo };
  }

  /** Waits until a statement of the broker waits for a table. */
  const untilWaiting = (statement: string) =>
    waitUntil(`${statement} to wait`, async () => {
      const { rows } = await db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and replace(query, '"', '') ilike $1`,
        [`${statement}%`],
      );
      return rows.length > 0;
    });

  async function killAndStart(lost: Promise<unknown>, letGo: () => Promise<void>): Promise<void> {
    await broker?.kill();
    await expect(lost).rejects.toThrow('Network error occurred');
    await letGo();
    await start();
  }

  test('before the commit the old value stays, and the audit log has no change', async () => {
    const log = take('audit_log');
    await log.taken;
    const lost = changeInVain('early');
    // the row of the secret is written by then
    await untilWaiting('insert into audit_log');
    await killAndStart(lost, log.letGo);
    expect(await valueOfCalls('early')).toBe(before);
    expect(await audited('early')).toEqual(['secret.set']);
  });

  test('after the commit the new value counts, and the audit log has the change, although its response never came', async () => {
    const log = take('audit_log');
    await log.taken;
    const lost = changeInVain('late');
    await untilWaiting('insert into audit_log');
    // this lock is next after the transaction: the broker reads the secrets again before it responds
    const secrets = take('server_secrets');
    await untilWaiting('lock table server_secrets');
    await log.letGo();
    await secrets.taken;
    await untilWaiting('select server_id as serverId');
    await killAndStart(lost, secrets.letGo);
    expect(await valueOfCalls('late')).toBe(after);
    expect(await audited('late')).toEqual(['secret.set', 'secret.replaced']);
  });
});
