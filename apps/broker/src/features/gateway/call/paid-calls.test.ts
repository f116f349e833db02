import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  connectPatiently,
  createPostgresDatabase,
  describeOnEmbedded,
  hasPostgres,
} from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { checkLedger } from '#features/billing/index.ts';
import { migrations } from '../../../migrations.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

// Calls of tools that cost credits, over MCP, charged to the ledger. receipts.test.ts covers calls that cost nothing.

const price = 5;
const env = {
  ...withoutHealthChecks,
  MCP_CALLS_PER_MINUTE_TOKEN: '100000',
  MCP_CALLS_PER_MINUTE_USER: '100000',
  // a slow machine would refuse some of 60 concurrent calls for lack of a slot
  MCP_IN_FLIGHT_USER: '256',
};
const manifest = (url: string) => ({
  id: 'paid',
  connection: { type: 'http', url },
  billing: { tier: 'T0', toolCosts: { say: price, mirrored: price } },
  maxInFlight: 256,
});

type Answer = { isError?: boolean; content?: { text: string }[]; _meta?: Record<string, unknown> };

async function callTool(url: string, token: string, end: string, over: Record<string, unknown> = {}) {
  const params = { name: 'paid__say', arguments: { end }, ...over };
  const { body } = await postModern(`${url}/mcp`, token, 'tools/call', params);
  const result: Answer & { requestState?: string } = body.result ?? {};
  return result;
}

const isCharged = ({ content, isError }: Answer) => !isError && content?.[0]?.text === 'done';
const insufficient = ({ _meta }: Answer) => _meta?.['souk/code'] === 'insufficient_credits';

describeOnEmbedded('calls that cost credits', migrations, (open) => {
  let app: TestApp;
  let server: EndingServer;
  let token: string;
  let userId: string;
  let email: string;

  beforeAll(async () => {
    server = await startEndingServer('modern');
    app = await startTestApp({ db: await open(), allowAddresses: [server.address], env });
    await deployManifest(app, manifest(server.url));
  });
  afterAll(async () => {
    await app?.stop();
    await server?.close();
  });
  beforeEach(async () => {
    email = `${randomUUID()}@souk.test`;
    ({ token } = await app.identity.createPersonalToken({ email, name: 'test' }));
  });

  const call = (end: string, over?: Record<string, unknown>) => callTool(app.publicUrl, token, end, over);
  const give = async (credits: number) => {
    userId = await giveCredits(app, email, credits);
  };
  /** Returns the user's account when all ended calls are in the ledger, which must add up. */
  async function account() {
    await app.billing.ledger.flush();
    expect(await checkLedger(app.db)).toEqual([]);
    const { balance, held, available } = await app.billing.ledger.account(userId);
    return { balance, held, available };
  }
  async function charged() {
    const { rows } = await app.db.query<{ delta: number; calls: string[]; balance_after: number }>(
      `select delta, calls, balance_after from ledger_entries where user_id = $1 and contra = 'usage' order by id`,
      [userId],
    );
    return rows;
  }

  test('[CAT-20] [CAT-21] a result costs the price of the tool, once, and the ledger and the log of calls agree', async () => {
    await give(12);
    expect(isCharged(await call('ok'))).toBe(true);
    expect(await account()).toEqual({ balance: 7, held: 0, available: 7 });
    const [row] = await usageRows(app, userId);
    expect(row).toMatchObject({ outcome: 'ok', reason: null, credits: price });
    expect(await charged()).toEqual([{ delta: -price, calls: [row?.callId], balance_after: 7 }]);
  });

  test('[CAT-20] without enough credits the server is not contacted, and the result says what is needed and where to get it', async () => {
    await give(2);
    const before = server.requests;
    expect(await call('ok')).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: `Needs 5 credits, 2 left. Top up: ${app.publicUrl}/plans` }],
      _meta: {
        'souk/code': 'insufficient_credits',
        'souk/required': 5,
        'souk/available': 2,
        'souk/topUpUrl': `${app.publicUrl}/plans`,
      },
    });
    expect(server.requests).toBe(before);
    expect(await account()).toEqual({ balance: 2, held: 0, available: 2 });
    expect(await usageRows(app, userId)).toMatchObject([{ outcome: 'refused', reason: 'insufficient_credits' }]);
  });

  test('a user who never had credits is told so', async () => {
    expect((await call('ok')).content).toMatchObject([{ text: expect.stringContaining('Needs 5 credits, 0 left.') }]);
  });

  test('60 concurrent calls on credit for 15: exactly 15 are made and charged', async () => {
    await give(15 * price + 3);
    const before = server.requests;
    const answers = await Promise.all(Array.from({ length: 60 }, () => call('ok')));
    expect([answers.filter(isCharged).length, answers.filter(insufficient).length]).toEqual([15, 45]);
    expect(server.requests - before).toBe(15);
    expect(await account()).toEqual({ balance: 3, held: 0, available: 3 });
    const entries = await charged();
    expect(entries.reduce((sum, { delta }) => sum + delta, 0)).toBe(-15 * price);
    expect(new Set(entries.flatMap(({ calls }) => calls)).size).toBe(15);
    const rows = await usageRows(app, userId);
    expect([rows.length, rows.reduce((sum, row) => sum + row.credits, 0)]).toEqual([60, 15 * price]);
  });

  test('credits of a running call are held: no other call spends them', async () => {
    await give(price);
    const slow = call('hang');
    await waitUntil('it is at the server', () => server.hanging === 1);
    expect(await app.billing.ledger.account(userId)).toMatchObject({ balance: price, held: price, available: 0 });
    expect(insufficient(await call('ok'))).toBe(true);
    server.answerHanging();
    await slow;
    expect(await account()).toEqual({ balance: price, held: 0, available: price });
    expect(isCharged(await call('ok'))).toBe(true);
  });

  test('an answered question makes no call free when its answer is sent again', async () => {
    await give(4 * price);
    const { requestState } = await call('input_required');
    const answer = () => call('input_required', { requestState, inputResponses: {} });
    expect(isCharged(await answer())).toBe(true);
    await app.billing.ledger.flush();
    const before = server.requests;
    const again = await answer();
    expect(isCharged(again)).toBe(false);
    expect(server.requests).toBe(before);
    expect(await account()).toMatchObject({ balance: 3 * price });
    expect(await charged()).toHaveLength(1);
  });

  test('without credits free tools keep working, and need no hold in the ledger', async () => {
    await deployManifest(app, { id: 'gratis', connection: { type: 'http', url: server.url } });
    const params = { name: 'gratis__say', arguments: { end: 'ok' } };
    const { body } = await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params);
    expect(body.result).toMatchObject({ content: [{ text: 'done' }] });
    const call = { callId: randomUUID(), userId: randomUUID(), serverId: 'gratis', tool: 'say', credits: 0 };
    expect(app.billing.charges.hold(call)).toMatchObject({ kind: 'hold', credits: 0 });
  });
});

describe.skipIf(!hasPostgres())('two brokers on one database', () => {
  let replicas: Replicas;
  let server: EndingServer;
  beforeAll(async () => {
    server = await startEndingServer('modern');
    const databaseUrl = await createPostgresDatabase();
    const open = () => connectPatiently(databaseUrl);
    replicas = await startReplicas(open, { allowAddresses: [server.address], env });
    await deployManifest(replicas.apps[0], manifest(server.url));
    await waitUntil('the other broker knows the tools', () =>
      replicas.apps[1].catalogue.snapshot().toolsByExposedName.has('paid__say'),
    );
  });
  afterAll(async () => {
    await replicas?.stop();
    await server?.close();
  });

  test('60 concurrent calls of one user on credit for 15: exactly 15 are made and charged', async () => {
    const [app] = replicas.apps;
    const email = 'both@souk.test';
    const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
    const userId = await giveCredits(app, email, 15 * price);
    const answers = await Promise.all(Array.from({ length: 60 }, () => callTool(replicas.publicUrl, token, 'ok')));
    expect([answers.filter(isCharged).length, answers.filter(insufficient).length]).toEqual([15, 45]);
    await Promise.all(replicas.apps.map((one) => one.billing.ledger.flush()));
    expect(await checkLedger(app.db)).toEqual([]);
    expect(await app.billing.ledger.account(userId)).toMatchObject({ balance: 0, held: 0 });
    const [, other] = replicas.apps;
    await app.usage.flush();
    const rows = await usageRows(other, userId);
    expect([rows.length, rows.filter((row) => row.credits === price).length]).toEqual([60, 15]);
  });
});
