import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger, grantCredits } from '#features/billing/index.ts';
import { clawBackCredits, LedgerConflict, type LotSource } from '#features/billing/credits/accounts/change-credits.ts';
import { startEndingServer, type EndingServer } from '#features/gateway/call/testing/ending-server.ts';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { forkBroker, type ForkedBroker } from '#testing/fork-broker.ts';
import { freePort } from '#testing/network/free-port.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { startPaidLoad } from '#testing/figures/paid-load.ts';
import { atFullSize, printFigure } from '#testing/figures/proof-size.ts';
import { seededRandom } from '#testing/figures/seeded-random.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startBalancer } from '#testing/start-replicas.ts';
import { readUsageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';

// Everything that can happen to credits concurrently, on two brokers: calls and disconnects of many clients, grants,
// expiries, claw-backs, changing caps and prices, brokers that are killed and frozen. The ledger is checked meanwhile.

const calls = atFullSize({ full: 10_000, short: 600 });
const checkEveryMs = atFullSize({ full: 3_000, short: 500 });
/**
 * Duration of a freeze: beyond 10 s without a heartbeat a broker is dead, and its leases are reclaimed while it is
 * frozen.
 */
const frozenMs = atFullSize({ full: 12_000, short: 700 });
const actionEveryMs = 15;
const disturbEveryMs = atFullSize({ full: 6_000, short: 500 });
const people = 6;
/** CHAOS_SEED=… repeats the same actions in the same order. */
const seed = Number(process.env['CHAOS_SEED'] ?? randomBytes(4).readUInt32LE());
const livemode = false;

describe.skipIf(!hasPostgres())('money, with everything concurrently', () => {
  let server: EndingServer;
  let referee: TestApp;
  let balancer: Awaited<ReturnType<typeof startBalancer>>;
  let env: NodeJS.ProcessEnv;
  let ports: number[];
  const brokers: (ForkedBroker | undefined)[] = [];
  const persons: { userId: string; token: string }[] = [];

  beforeAll(async () => {
    server = await startEndingServer('modern');
    ports = [await freePort(), await freePort()];
    balancer = await startBalancer(ports);
    const databaseUrl = await createPostgresDatabase();
    env = {
      ...withoutHealthChecks,
      PUBLIC_URL: balancer.publicUrl,
      MASTER_KEY: randomBytes(32).toString('base64url'),
      DATABASE_URL: databaseUrl,
      MCP_CALLS_PER_MINUTE_TOKEN: '100000000',
      MCP_CALLS_PER_MINUTE_USER: '100000000',
      MCP_REQUESTS_PER_MINUTE_TOKEN: '100000000',
    };
    const db = await connectPatiently(databaseUrl);
    referee = await startTestApp({ db, env, allowAddresses: [server.address] });
    // the highest first: lower prices apply immediately, without an approval
    await deploy(9);
    for (let person = 0; person < people; person += 1) {
      const email = `person-${person}@souk.test`;
      const { token } = await referee.identity.createPersonalToken({ email, name: 'load' });
      persons.push({ token, userId: await giveCredits(referee, email, 2_000) });
    }
    for (const broker of [0, 1]) await start(broker);
  });
  afterAll(async () => {
    for (const broker of brokers) await broker?.kill();
    await referee?.stop();
    await balancer?.close();
    await server?.close();
  });

  let versions = 0;
  const deploy = (price: number) =>
    deployManifest(
      referee,
      {
        id: 'paid',
        version: `1.0.${(versions += 1)}`,
        connection: { type: 'http', url: server.url },
        billing: { tier: 'T0', toolCosts: { say: price } },
        maxInFlight: 256,
      },
      versions === 1 ? 'connected' : 'unasked',
    );
  async function start(broker: number): Promise<void> {
    brokers[broker] = await forkBroker({ ...env, PORT: String(ports[broker]) }, [server.address]);
  }

  test('[chaos] credits add up at every moment, no call is charged twice or above its receipt, and nothing stays held', async () => {
    const random = seededRandom(seed);
    const { db } = referee;
    const state = { isOver: false };
    const done: Record<string, number> = {};
    const note = (what: string) => void (done[what] = (done[what] ?? 0) + 1);
    const ends = ['ok', 'ok', 'ok', 'tool_error', 'ok', 'protocol_error', 'ok', 'ok'] as const;
    const load = startPaidLoad({
      url: `${balancer.publicUrl}/mcp`,
      tokens: persons.map(({ token }) => token),
      tool: 'paid__say',
      endOf: (n) => ends[n % ends.length] ?? 'ok',
      calls,
    });
    const over = load.done.then(() => void (state.isOver = true));
    const faults: unknown[] = [];
    await Promise.all([over, check(), change(), disturb(), hangUp()]);
    for (const broker of brokers) broker?.thaw();
    const held = async () => {
      // a killed broker's leases expire now, not in 10 s
      await db.query(`update credit_brokers set beat = beat - interval '1 hour' where beat < now() - interval '3 s'`);
      const { rows } = await db.query<{ held: number }>('select sum(held)::bigint as held from credit_accounts');
      return rows[0]?.held ?? 0;
    };
    await waitUntil('no credits are held', async () => (await held()) === 0);
    faults.push(...(await checkLedger(db)));
    const changes = Object.entries(done).map(([what, times]) => `${what} ${times}`);
    printFigure(`seed ${seed}: ${load.delivered.length} answers, ${changes.join(', ')}; ${faults.length} differences`);
    expect(faults, `CHAOS_SEED=${seed}`).toEqual([]);

    const { rows: charged } = await db.query<{ call_id: string; entries: number }>(
      `select call_id, count(*)::int as entries from ledger_entries, unnest(calls) as call_id
       where contra = 'usage' group by 1 having count(*) > 1`,
    );
    expect(charged, `CHAOS_SEED=${seed}: calls in two entries`).toEqual([]);
    const { rows: sums } = await db.query<{ entries: number; usage: number }>(
      `select (select coalesce(-sum(delta), 0)::bigint from ledger_entries where contra = 'usage') as entries,
         (select coalesce(sum(credits), 0)::bigint from usage_events where livemode is not null) as usage`,
    );
    expect(sums[0]?.usage, `CHAOS_SEED=${seed}: the log of calls and the ledger`).toBe(sums[0]?.entries);
    const records = new Map((await readUsageRows(db)).map((row) => [row.callId, row]));
    for (const { callId, charged: told } of load.delivered)
      expect(records.get(callId)?.credits ?? 0, `CHAOS_SEED=${seed}: ${callId}`).toBeLessThanOrEqual(told ?? 0);

    async function check(): Promise<void> {
      while (!state.isOver) {
        await Promise.race([over, pause(checkEveryMs)]);
        faults.push(...(await checkLedger(db)));
        note('checks');
      }
    }

    /** Changes accounts as users, administrators and the payment provider do, in the order of the seed. */
    async function change(): Promise<void> {
      const grants: { userId: string; idem: string }[] = [];
      const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)];
      const sources: readonly LotSource[] = ['plan', 'promotional', 'purchased'];
      async function act(userId: string, dice: number, amount: number): Promise<void> {
        if (dice < 0.4) {
          const source = pick(sources) ?? 'plan';
          const idem = randomUUID();
          const expiresAt = source === 'plan' ? new Date(Date.now() + random() * 5_000) : undefined;
          const grant = { userId, livemode, credits: amount, source, idem, expiresAt };
          await db.transaction((query) => grantCredits(query, grant));
          grants.push({ userId, idem });
          note('grants');
        } else if (dice < 0.6) {
          const one = pick(grants);
          if (!one) return;
          const contra = random() < 0.5 ? ('refund' as const) : ('dispute' as const);
          const change = { userId: one.userId, livemode, credits: amount, contra, grant: one.idem, idem: randomUUID() };
          await db.transaction((query) => clawBackCredits(query, change));
          note('claw-backs');
        } else if (dice < 0.75) {
          await referee.billing.ledger.setMonthlyCap(userId, random() < 0.5 ? undefined : 500 + amount * 20);
          note('caps');
        } else if (dice < 0.85) {
          const set = { userId, credits: 500 + amount, idem: randomUUID() };
          await referee.billing.ledger.setBalance(set, { operator: 'chaos' }).catch((error: unknown) => {
            if (!(error instanceof LedgerConflict)) throw error;
          });
          note('balances set');
        } else if (dice < 0.95) {
          const past = `set expires_at = now() - interval '1 s' where user_id = $1 and source = 'plan' and remaining > 0`;
          await db.query(`update credit_lots ${past}`, [userId]);
          await db.query(`update credit_accounts set next_expiry = now() - interval '1 s' where user_id = $1`, [
            userId,
          ]);
          note('expiries');
        } else {
          await deploy(1 + Math.floor(random() * 9));
          note('prices');
        }
      }
      while (!state.isOver) {
        const userId = pick(persons)?.userId ?? '';
        const dice = random();
        const amount = 1 + Math.floor(random() * 300);
        await act(userId, dice, amount).catch((error: unknown) => {
          // a broker that is frozen in the middle of a transaction keeps its accounts locked
          if (!/timeout/i.test(String(error))) throw error;
          note('waits given up');
        });
        await pause(actionEveryMs);
      }
    }

    /** Kills and freezes the brokers in turn. */
    async function disturb(): Promise<void> {
      for (let turn = 0; !state.isOver; turn += 1) {
        await Promise.race([over, pause(disturbEveryMs)]);
        if (state.isOver) return;
        const broker = turn % 2;
        if (random() < 0.5) {
          brokers[broker]?.freeze();
          await pause(frozenMs);
          brokers[broker]?.thaw();
          note('freezes');
        } else {
          await brokers[broker]?.kill();
          brokers[broker] = undefined;
          await start(broker);
          note('kills');
        }
      }
    }

    /** Makes a call as a client that never waits for its response. */
    async function hangUp(): Promise<void> {
      for (let turn = 0; !state.isOver; turn += 1) {
        const token = persons[turn % people]?.token ?? '';
        const { body, ...request } = modernRequest(token, 'tools/call', {
          name: 'paid__say',
          arguments: { end: 'hang' },
        });
        const signal = AbortSignal.timeout(20 + Math.floor(random() * 60));
        await fetch(`${balancer.publicUrl}/mcp`, { ...request, body, signal }).catch(() => undefined);
        note('hang-ups');
      }
    }
  });
});
