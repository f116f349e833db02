import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { checkLedger } from '../apps/broker/src/features/billing/index.ts';
import { openDatabase } from '../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { hasNginx } from '../apps/broker/src/testing/network/nginx.ts';
import { hasPgBouncer } from '../apps/broker/src/testing/databases/pgbouncer.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { atFullSize, printFigure } from '../apps/broker/src/testing/figures/proof-size.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { loadClockMs, startLoad, type Call, type Load, type StreamEnd } from './brokers/load.ts';
import { price, startShop, type Shop } from './brokers/shop.ts';
import { checkOutLastRelease, type Checkout } from './upgrades/check-out-release.ts';

// Three brokers behind nginx, and PgBouncer in transaction mode in front of a PostgreSQL with a standby, while clients
// call free and paid tools. No client notices a rolling restart, or an upgrade from the last release, where two
// versions run side by side. After a failure a call gets an error, or its connection is cut; no call is ever run twice,
// charged twice, or charged without a delivered result.

const binaries = findPostgresBinaries();
const missing = [
  ...(hasNginx() ? [] : ['nginx']),
  ...(hasPgBouncer() ? [] : ['pgbouncer']),
  ...(binaries === undefined ? ['postgresql'] : []),
];
if (missing.length > 0) process.stdout.write(`[brokers] SKIPPED: ${missing.join(', ')} not installed\n`);

/** Times as in production; in the short form the shortest that show the same. */
const times = atFullSize({
  full: { drainGraceMs: 5_000, proxyKeepAliveMs: 5_000 },
  short: { drainGraceMs: 500, proxyKeepAliveMs: 1_000 },
});
const restarts = atFullSize({ full: 4, short: 1 });
const frozenMs = atFullSize({ full: 15_000, short: 0 });
const kills = atFullSize({ full: 3, short: 0 });
const databaseRestarts = atFullSize({ full: 2, short: 0 });
const clientsPerToken = atFullSize({ full: 6, short: 1 });
const callsAfterwards = atFullSize({ full: 200, short: 60 });
/** I11: once the database is back, everything works within 5 s; a busy machine may take longer. */
const recoveryMs = atFullSize({ full: 5_000, short: undefined });
/**
 * Reasons that a call may get although nothing failed: on a busy machine a statement can take longer than its 1.8 s.
 * Such a call was not run, and costs nothing.
 */
const toldOfSlowness = atFullSize<readonly string[]>({ full: [], short: ['unavailable'] });
/** Time for which nginx skips a broker that was down (docs/deploy). */
const passedOverMs = 2_500;
/**
 * Maximum age of an unrecorded call: calls are recorded in batches of 10 ms (decision 0041), and a client may read its
 * response a little later.
 */
const lastBatchMs = 500;

type Step = { name: string; calls: Call[]; streamEnds: StreamEnd[] };

describe.skipIf(missing.length > 0)('three brokers', () => {
  let shop: Shop;
  let load: Load | undefined;
  let released: Checkout | undefined;
  const killedAtMs: number[] = [];

  beforeAll(async () => {
    const found = await checkOutLastRelease();
    if (typeof found === 'string') process.stdout.write(`[brokers] SKIPPED the upgrade: ${found}\n`);
    else released = found;
    shop = await startShop(binaries ?? '', { ...times, before: released?.root });
  });
  afterAll(async () => {
    await load?.stop();
    await shop?.stop();
    await released?.remove();
  });

  test('[brokers] rolling restarts lose no call, and no fault runs or charges one twice', async () => {
    onTestFailed(async () => {
      process.stdout.write(`what nginx said last:\n${(await shop.nginxErrors()).slice(-20).join('\n')}\n`);
    });
    const running = startLoad(shop.link, shop.tokens, clientsPerToken);
    load = running;
    const { calls } = running;
    const answers = (more: number) => {
      const wanted = calls.length + more;
      return waitUntil(`${more} more calls`, () => calls.length >= wanted);
    };
    await answers(callsAfterwards);

    /** Runs a step, prints what the clients saw meanwhile, and returns it. */
    async function step(name: string, act: () => Promise<void>): Promise<Step> {
      const [fromCalls, fromEnds, fromMs] = [calls.length, running.streamEnds.length, loadClockMs()];
      await act();
      await answers(50);
      const done = { name, calls: calls.slice(fromCalls), streamEnds: running.streamEnds.slice(fromEnds) };
      print(done, loadClockMs() - fromMs);
      return done;
    }

    /** Restarts the brokers sequentially: in between, old and new ones run side by side. */
    async function restartAll(name: string): Promise<void> {
      const { calls: seen, streamEnds } = await step(name, async () => {
        for (const broker of [0, 1, 2]) {
          expect(await shop.restart(broker), 'exit code').toBe(0);
          await pause(passedOverMs);
        }
      });
      expect(unanswered(seen)).toEqual([]);
      expect(streamEnds.filter(({ how }) => how === 'broken')).toEqual([]);
      expect(streamEnds.length).toBeGreaterThanOrEqual(2);
    }

    if (released) await restartAll(`upgrade from Souk ${released.version}, one broker after the other`);
    for (let round = released ? 2 : 1; round <= restarts; round += 1)
      await restartAll(`rolling restart ${round} of ${restarts}`);

    if (frozenMs > 0)
      await step(`a broker frozen for ${frozenMs / 1000} s`, async () => {
        shop.signal(0, 'SIGSTOP');
        await pause(frozenMs);
        shop.signal(0, 'SIGCONT');
        await pause(passedOverMs);
      });
    for (let kill = 1; kill <= kills; kill += 1)
      await step(`a broker killed, ${kill} of ${kills}`, async () => {
        killedAtMs.push(loadClockMs());
        await shop.kill(kill % 3);
        await pause(passedOverMs);
      });
    for (let restart = 1; restart <= databaseRestarts; restart += 1)
      await step(`PostgreSQL crashes and starts again, ${restart} of ${databaseRestarts}`, () =>
        recovers(() => shop.database.restart()),
      );
    await step('failover to the standby', () => recovers(() => shop.database.failOver()));
    const last = await step('afterwards', () => answers(callsAfterwards));
    expect(unanswered(last.calls)).toEqual([]);
    await waitUntil('all calls to be answered again', () =>
      calls.slice(-callsAfterwards).every(({ outcome }) => outcome === 'answered'),
    );
    await running.stop();
    await judge(calls);
  }, 1_200_000);

  function unanswered(calls: readonly Call[]): Call[] {
    return calls.filter(({ outcome, reason }) => outcome !== 'answered' && !toldOfSlowness.includes(reason));
  }

  async function recovers(act: () => Promise<void>): Promise<void> {
    await act();
    await waitUntil('all to be ready', async () => (await shop.readiness()).every((status) => status === 200));
    if (recoveryMs !== undefined) await pause(recoveryMs);
  }

  /** Compares what the clients know with the ledger, the log of calls and what the server ran. */
  async function judge(calls: readonly Call[]): Promise<void> {
    // the brokers write what they have
    for (const broker of [0, 1, 2]) expect(await shop.restart(broker), 'exit code').toBe(0);
    const charged = await shop.query<{ call_id: string; credits: number }>(
      `select call_id, (-sum(delta / cardinality(calls)))::int as credits
       from ledger_entries, unnest(calls) as call_id where contra = 'usage' group by 1`,
    );
    const rows = await shop.query<{ call_id: string; name: string; credits: number; rows: number }>(
      `select call_id, min(name) as name, sum(credits)::int as credits, count(*)::int as rows
       from usage_events where server_id = 'counting' group by 1`,
    );
    const entries = new Map(charged.map(({ call_id, credits }) => [call_id, credits]));
    const records = new Map(rows.map((row) => [row.call_id, row]));
    const delivered = new Map(calls.flatMap((call) => (call.callId ? [[call.callId, call] as const] : [])));
    const answered = calls.filter(({ outcome }) => outcome === 'answered');
    const afterKill = ({ endedMs }: Call) => killedAtMs.some((ms) => Math.abs(endedMs - ms) < lastBatchMs);
    const paid = answered.filter(({ tool }) => tool === 'paid');
    const found = {
      'run twice': [...shop.server.runs.values()].filter((times) => times > 1).length,
      'charged twice': charged.filter(({ credits }) => credits !== price).length,
      'recorded twice': rows.filter((row) => row.rows !== 1).length,
      'charged, not answered': charged.filter(({ call_id }) => delivered.get(call_id)?.outcome !== 'answered').length,
      'answered, without a record': answered.filter(
        (call) => !records.has(call.callId ?? '') && !(afterKill(call) && killedAtMs.length > 0),
      ).length,
      'record and ledger differ': rows.filter(({ call_id, credits }) => credits !== (entries.get(call_id) ?? 0)).length,
    };
    const uncharged = paid.filter(({ callId }) => !entries.has(callId ?? '')).length;
    printFigure(
      `${calls.length} calls, ${answered.length} answered; paid and answered ${paid.length}, charged ${charged.length}, ` +
        `${uncharged} not charged in favor of the person (of a broker that was frozen or killed)`,
    );
    const counts = Object.entries(found).map(([what, count]) => `${what} ${count}`);
    process.stdout.write(`[brokers] lost or doubled: ${counts.join(', ')}\n`);
    expect(Object.values(found)).toEqual(Object.values(found).map(() => 0));
    const db = await openDatabase({ databaseUrl: shop.database.url, dataDir: '', log: createLog('fatal') });
    expect(await checkLedger(db).finally(() => db.close())).toEqual([]);
  }

  function print({ name, calls, streamEnds }: Step, tookMs: number): void {
    const of = (outcome: Call['outcome']) => calls.filter((call) => call.outcome === outcome);
    const reasons = Map.groupBy([...of('told'), ...of('cut')], ({ outcome, reason }) => `${outcome}: ${reason}`);
    const inOrder = streamEnds.filter(({ how }) => how === 'in order').length;
    process.stdout.write(
      `[brokers] ${name} (${(tookMs / 1000).toFixed(1)} s): ${calls.length} calls, ${of('answered').length} answered, ` +
        `${of('told').length} told an error, ${of('cut').length} cut; streams ended in order ${inOrder}, ` +
        `broken ${streamEnds.length - inOrder}${[...reasons].map(([what, { length }]) => `; ${what} ×${length}`).join('')}\n`,
    );
  }
});
