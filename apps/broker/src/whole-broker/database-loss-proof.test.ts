import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { startEndingServer, type EndingServer } from '#features/gateway/call/testing/ending-server.ts';
import type { Database } from '#platform/db/database.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { elapsed } from '#testing/figures/elapsed.ts';
import { forkBroker, type ForkedBroker } from '#testing/fork-broker.ts';
import { freePort } from '#testing/network/free-port.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { limitFigure } from '#testing/figures/limits.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { atFullSize, printFigure } from '#testing/figures/proof-size.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks } from '#testing/start-app.ts';
import { startTcpProxy, type TcpProxy } from '#testing/network/tcp-proxy.ts';
import { readUsageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';

// A broker under paid load whose database repeatedly refuses connections or stays silent: the responses to its clients
// meanwhile, the time to recovery, and what the ledger says of each call that the server ran.

const price = 3;
const people = 4;
const clients = atFullSize({ full: 20, short: 6 });
const losses = atFullSize({ full: 40, short: 2 });
/** Duration of a database outage. */
const awayMs = (loss: number) => atFullSize({ full: 2_000 + (loss % 5) * 3_000, short: 2_500 });
/** Maximum time of a response; the short form runs alongside other tests. */
const mostMs = atFullSize({ full: 2_000, short: 6_000 });
const mostUntilBackMs = atFullSize({ full: 5_000, short: 10_000 });

type Answer = { status: number; ms: number; isResult: boolean; callId: string | null; type: string | null };

describe.skipIf(!hasPostgres())('a database that is lost under paid load (PostgreSQL)', () => {
  let server: EndingServer;
  let db: Database;
  let broker: ForkedBroker;
  let proxy: TcpProxy;
  let publicUrl: string;
  const tokens: string[] = [];
  let webToken: string;
  let userId: string;

  beforeAll(async () => {
    server = await startEndingServer('modern');
    const databaseUrl = await createPostgresDatabase();
    const lossy = new URL(databaseUrl);
    proxy = await startTcpProxy({ host: lossy.hostname, port: Number(lossy.port) });
    lossy.port = String(proxy.port);
    const port = await freePort();
    publicUrl = `http://localhost:${port}`;
    const env = {
      ...withoutHealthChecks,
      PUBLIC_URL: publicUrl,
      MASTER_KEY: randomBytes(32).toString('base64url'),
      MCP_CALLS_PER_MINUTE_TOKEN: '100000000',
      MCP_CALLS_PER_MINUTE_USER: '100000000',
      MCP_REQUESTS_PER_MINUTE_TOKEN: '100000000',
    };
    const open = () => openDatabase({ databaseUrl, dataDir: '', log: createLog('fatal'), migrations });
    const referee = await startTestApp({ db: await open(), env, allowAddresses: [server.address] });
    await deployManifest(referee, {
      id: 'paid',
      connection: { type: 'http', url: server.url },
      billing: { tier: 'T0', toolCosts: { say: price } },
      maxInFlight: 256,
    });
    for (let person = 0; person < people; person += 1) {
      const email = `person-${person}@souk.test`;
      tokens.push((await referee.identity.createPersonalToken({ email, name: 'load' })).token);
      await giveCredits(referee, email, 1_000_000);
    }
    // a second broker would reclaim the leases after a long loss
    await referee.stop();
    db = await open();
    broker = await forkBroker({ ...env, PORT: String(port), DATABASE_URL: lossy.href }, [server.address]);
    const email = 'reader@souk.test';
    ({ accessToken: webToken } = await new ScriptedBrowser(publicUrl).signInWeb({ email }));
    const { rows } = await db.query<{ id: string }>('select id from users where email = $1', [email]);
    userId = rows[0]?.id ?? '';
  });
  afterAll(async () => {
    await proxy?.resume();
    await broker?.kill();
    await db?.close();
    await proxy?.close();
    await server?.close();
  });

  /** Makes a paid call, and reads it as a client does. A request that the broker aborts counts as status 0. */
  async function call(token: string): Promise<Answer> {
    const request = modernRequest(token, 'tools/call', { name: 'paid__say', arguments: { end: 'ok' } });
    const { ms, result } = await elapsed(async () => {
      const response = await fetch(`${publicUrl}/mcp`, request).catch(() => undefined);
      return { response, text: response ? await response.text() : '{}' };
    });
    const { response, text } = result;
    const body: { result?: { isError?: boolean } } = JSON.parse(text);
    return {
      status: response?.status ?? 0,
      ms,
      isResult: body.result !== undefined && body.result.isError !== true,
      callId: response?.headers.get('x-request-id') ?? null,
      type: response?.headers.get('content-type') ?? null,
    };
  }

  /** Reads data that only the database has. */
  async function readHistory(): Promise<Pick<Answer, 'status' | 'ms' | 'type'>> {
    const headers = { authorization: `Bearer ${webToken}` };
    const { ms, result: response } = await elapsed(async () => {
      const answer = await fetch(`${publicUrl}/api/users/${userId}/credit-history`, { headers });
      await answer.text();
      return answer;
    });
    return { status: response.status, ms, type: response.headers.get('content-type') };
  }

  test('[I11] a lost database is answered 503 in time, no call runs without a hold, and everything recovers automatically', async () => {
    const state = { isOver: false };
    const answers: Answer[] = [];
    const reads: Pick<Answer, 'status' | 'ms' | 'type'>[] = [];
    const load = Array.from({ length: clients }, async (_, client) => {
      while (!state.isOver) {
        const answer = await call(tokens[client % people] ?? '');
        answers.push(answer);
        // a refused client does not retry immediately
        if (!answer.isResult) await pause(50);
      }
    });
    const backMs: number[] = [];
    for (let loss = 0; loss < losses; loss += 1) {
      const had = answers.length;
      await waitUntil(
        'calls to be answered',
        () => answers.slice(had).filter(({ isResult }) => isResult).length > clients * 5,
      );
      if (loss % 2 === 0) await proxy.stop();
      else proxy.freeze();
      const away = { isOver: false };
      const back = pause(awayMs(loss)).then(() => (away.isOver = true));
      while (!away.isOver) reads.push(await readHistory());
      await back;
      await proxy.resume();
      const isWorking = async () => {
        const [read, called] = await Promise.all([readHistory(), call(tokens[1] ?? '')]);
        answers.push(called);
        return read.status === 200 && called.isResult;
      };
      const { ms } = await elapsed(() => waitUntil('all to work again', isWorking));
      backMs.push(ms);
    }
    state.isOver = true;
    await Promise.all(load);
    const held = async () => {
      const { rows } = await db.query<{ held: number }>(
        'select coalesce(sum(held), 0)::bigint as held from credit_accounts',
      );
      return rows[0]?.held;
    };
    await waitUntil('no credits to be held', async () => (await held()) === 0);

    const all = [...answers, ...reads];
    for (const { status, type } of all) {
      expect([200, 503]).toContain(status);
      expect(type).toMatch(/^application\/json/);
    }
    // more than a function takes as arguments, at full size
    const slowestMs = all.reduce((most, { ms }) => Math.max(most, ms), 0);
    await limitFigure(mostMs, 'ms', () => slowestMs, { what: 'the slowest answer' });
    await limitFigure(mostUntilBackMs, 'ms', () => Math.max(...backMs), { what: 'all works again' });

    // a call ran if its price was held: it is in the ledger, once, and no other call is
    const charged = await db.query<{ call_id: string; credits: number }>(
      `select unnest(calls) as call_id, -delta / cardinality(calls) as credits from ledger_entries where contra = 'usage'`,
    );
    const entries = new Map(charged.rows.map(({ call_id, credits }) => [call_id, credits]));
    expect(charged.rows).toHaveLength(entries.size);
    expect(server.requests).toBe(entries.size);
    const delivered = answers.filter(({ isResult }) => isResult);
    for (const { callId } of delivered) expect(entries.get(callId ?? ''), String(callId)).toBe(price);
    expect(delivered).toHaveLength(entries.size);
    const recorded = (await readUsageRows(db)).filter(({ credits }) => credits > 0);
    expect(recorded).toHaveLength(entries.size);
    expect(await checkLedger(db)).toEqual([]);
    printFigure(
      `${losses} losses, by turns refused and silent: ${delivered.length} calls ran and were charged, ` +
        `${all.filter(({ status }) => status === 503).length} answers 503 and ` +
        `${answers.filter(({ status, isResult }) => status === 200 && !isResult).length} that nothing could be charged, ` +
        `the slowest answer after ${slowestMs.toFixed(0)} ms; all worked again after ${Math.max(...backMs).toFixed(0)} ms at most`,
    );
  });
});
