import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { getSubscription } from '@souk/contract/billing/billing.ts';
import { payOnPage } from '@souk/stripe-sandbox/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { forkBroker, type ForkedBroker } from '#testing/fork-broker.ts';
import { freePort } from '#testing/network/free-port.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { newBuyer } from '../checkout/testing/shop.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';

// Two brokers, each a separate process with a stand-in for Stripe, on one PostgreSQL. The first has the public address.
// Both process one table of events.

describe.skipIf(!hasPostgres())('payment events that two brokers share', () => {
  let db: Database;
  let env: NodeJS.ProcessEnv;
  let publicUrl: string;
  let forkFirst: () => Promise<ForkedBroker>;
  /** Undefined once a test has killed the broker. */
  let first: ForkedBroker | undefined;
  let second: ForkedBroker;
  let held = Promise.withResolvers<void>();
  beforeAll(async () => {
    const port = await freePort();
    publicUrl = `http://localhost:${port}`;
    const databaseUrl = await createPostgresDatabase();
    env = {
      ...withoutHealthChecks,
      PUBLIC_URL: publicUrl,
      MASTER_KEY: randomBytes(32).toString('base64url'),
      DATABASE_URL: databaseUrl,
      SIGN_IN_PER_MINUTE: '1000',
    };
    forkFirst = () => forkBroker({ ...env, PORT: String(port) }, []);
    second = await forkBroker(env, []);
    db = await connectPatiently(databaseUrl);
  });
  beforeEach(async () => {
    first ??= await forkFirst();
  });
  afterEach(() => {
    held.resolve();
    second.thaw();
  });
  afterAll(async () => {
    await db?.close();
    await first?.kill();
    await second?.kill();
  });

  type Buyer = Awaited<ReturnType<typeof newBuyer>>;
  /** Buys 500 credits. */
  async function buy(buyer: Buyer): Promise<string> {
    const { checkoutUrl, sessionId } = await buyer.api.startCheckout({
      body: { type: 'credit', planId: 'credits-500' },
    });
    expect((await payOnPage(checkoutUrl, '4242424242424242', {}, { origin: publicUrl })).status).toBe(303);
    return sessionId;
  }
  async function events(since: Date | undefined) {
    const { rows } = await db.query<{ attempts: number; failures: number; is_done: boolean }>(
      'select attempts, failures, done_at is not null as is_done from payment_events where received_at >= $1',
      [since],
    );
    return rows;
  }
  async function entries({ userId }: Buyer) {
    const { rows } = await db.query('select delta, contra from ledger_entries where user_id = $1', [userId]);
    return rows;
  }
  const bought = { delta: 500, contra: 'purchased' };

  /**
   * Kills the first broker in the middle of processing the payment, whose last statement waits for a lock that the test
   * holds.
   */
  async function killFirstWhileItWorksOn(sessionId: string): Promise<void> {
    const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%insert into transactions%'`;
    for (;;) {
      await waitUntil('the last statement of the payment to wait', async () => {
        const { rows } = await db.query(`select ${waiting}`);
        return rows.length > 0;
      });
      await first?.kill();
      first = undefined;
      // its claim lasts two minutes
      const claimed = `select from payment_events where object_id = $1 and next_at > now() + interval '30 seconds'`;
      if ((await db.query(claimed, [sessionId])).rows.length === 1) break;
      // too late: the statement had been canceled, and the event waited for its next attempt
      await db.query(`select pg_terminate_backend(pid) ${waiting}`);
      await db.query('update payment_events set attempts = 0, next_at = now() where object_id = $1', [sessionId]);
      first = await forkFirst();
    }
    // until the test allows it, however long the next broker takes to start
    await db.query(`update payment_events set next_at = now() + interval '1 day' where object_id = $1`, [sessionId]);
  }

  /** Returns what the second broker answers, at the address of the first. */
  async function creditsAtSecond({ accessToken }: Buyer): Promise<number> {
    const { port } = second;
    const headers = { host: new URL(publicUrl).host, authorization: `Bearer ${accessToken}` };
    const text = await new Promise<string>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path: getSubscription.path, headers }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        answer.on('end', () => resolve(body));
      });
      asked.on('error', reject).end();
    });
    return getSubscription.answer.parse(JSON.parse(text)).credits.balance;
  }

  test('each is processed once, by one of them', async () => {
    const buyers = await Promise.all(Array.from({ length: 4 }, () => newBuyer({ publicUrl })));
    const { rows: times } = await db.query<{ now: Date }>('select now() as now');
    const since = times[0]?.now;
    // a failed attempt, for example because the database was slow, is followed by another
    await db.query('alter table payment_events add column failures int not null default 0');
    await db.query(`create function count_failure() returns trigger language plpgsql as
      $$ begin
        if new.error is not null and new.attempts = old.attempts then new.failures := old.failures + 1; end if;
        return new;
      end $$`);
    await db.query(
      'create trigger failures before update on payment_events for each row execute function count_failure()',
    );
    // enough for both brokers to compete for them
    await db.query(
      `insert into payment_events (id, type, object_id, received_at, next_at)
       select 'evt_' || n, 'customer.subscription.updated', 'sub_unknown', now(), now() from generate_series(1, 100) n`,
    );
    await Promise.all(buyers.map(buy));
    await waitUntil('all payments to be stored', async () => {
      const balances = await Promise.all(buyers.map((buyer) => buyer.credits()));
      return balances.every((balance) => balance === 500);
    });
    await waitUntil('all events to be processed', async () => (await events(since)).every((event) => event.is_done));
    const worked = await events(since);
    expect(worked.length).toBeGreaterThanOrEqual(104);
    expect(worked.filter(({ attempts, failures }) => attempts !== failures + 1)).toEqual([]);
    for (const buyer of buyers) expect(await entries(buyer)).toEqual([bought]);
  });

  test('a broker that is killed in the middle of a payment leaves nothing half done, and the other one takes it over', async () => {
    const buyer = await newBuyer({ publicUrl });
    // so that the first broker takes it
    second.freeze();
    const locked = Promise.withResolvers<void>();
    held = Promise.withResolvers();
    const holding = db.transaction(async (query) => {
      await query('lock table transactions in exclusive mode');
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const sessionId = await buy(buyer);
    await killFirstWhileItWorksOn(sessionId);
    held.resolve();
    await holding;
    second.thaw();
    await waitUntil('the database to notice the end of the first', async () => {
      const { rows } = await db.query(
        `select from pg_locks where mode = 'RowExclusiveLock' and relation = 'transactions'::regclass`,
      );
      return rows.length === 0;
    });
    expect(await entries(buyer)).toEqual([]);
    expect(await creditsAtSecond(buyer)).toBe(0);
    await db.query('update payment_events set next_at = now() where object_id = $1', [sessionId]);
    await waitUntil('the other one to take it', async () => (await creditsAtSecond(buyer)) > 0);
    expect(await creditsAtSecond(buyer)).toBe(500);
    expect(await entries(buyer)).toEqual([bought]);
    const { rows } = await db.query('select status from checkout_orders where session_id = $1', [sessionId]);
    expect(rows).toEqual([{ status: 'fulfilled' }]);
    expect(await checkLedger(db)).toEqual([]);
  });
});
