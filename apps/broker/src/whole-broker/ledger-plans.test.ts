import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { grantCredits } from '#features/billing/credits/accounts/change-credits.ts';
import { enrolBroker } from '#features/billing/credits/broker-beats.ts';
import { grantLeases } from '#features/billing/credits/leases/grant-leases.ts';
import { settleCalls } from '#features/billing/credits/settle/settle-calls.ts';
import { trimLeases } from '#features/billing/credits/leases/trim-leases.ts';
import { paidRow } from '#features/billing/credits/testing/paid-row.ts';
import type { Query } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { migrations } from '../migrations.ts';

const livemode = false;
const size = 64;

/** Number of accounts without any batch. */
const others = 5_000;

/**
 * Returns the tables of billing and usage that this transaction has read completely, and how often; and those of which
 * it has read more rows by an index than the batches contain: a plan may also scan a whole index.
 */
async function reads(query: Query) {
  const { rows } = await query<{ relname: string; seq_scan: number; idx_tup_fetch: number | null }>(
    `select relname, seq_scan, idx_tup_fetch from pg_stat_xact_user_tables
     where relname like 'credit%' or relname like 'ledger%' or relname like 'usage_events%' order by relname`,
  );
  return rows.map((row) => ({ ...row, idx_tup_fetch: row.idx_tup_fetch ?? 0 }));
}

const addOthers = `
  with accounts as (
    insert into credit_accounts (user_id, livemode, balance, held)
    select gen_random_uuid(), false, 1, 1 from generate_series(1, ${others}) returning user_id),
  lots as (
    insert into credit_lots (id, user_id, livemode, source, idem, granted, remaining)
    select gen_random_uuid(), user_id, false, 'purchased', 'lot:' || user_id, 1, 1 from accounts),
  leases as (
    insert into credit_leases (id, user_id, livemode, broker_id, granted)
    select gen_random_uuid(), user_id, false, gen_random_uuid(), 1 from accounts),
  entries as (
    insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem)
    select user_id, false, 1, 'purchased', 1, 'other:' || user_id from accounts)
  insert into usage_events (call_id, user_id, server_id, kind, name, outcome, credits, duration_ms, client_id, token_id,
    created_at)
  select gen_random_uuid(), user_id, 'paid', 'tool', 'say', 'ok', 0, 1, 'test', 'test', now() from accounts limit ${20 * size}`;

describeOnDatabases('the statements of the ledger', migrations, (open) => {
  test('look rows up, however many there are: no batch reads a whole table or index', async () => {
    const db = await open();
    const brokerId = randomUUID();
    await enrolBroker(db.query, brokerId);
    const users = Array.from({ length: 2 * size }, () => randomUUID());
    for (const userId of users) {
      const grant = { userId, livemode, credits: 100, source: 'purchased' as const, idem: randomUUID() };
      await db.transaction((query) => grantCredits(query, grant));
    }
    const useAll = async (query: Query, userIds: readonly string[]) => {
      const leases = userIds.map((userId) => ({ leaseId: randomUUID(), userId }));
      const asks = leases.map((lease) => ({ ...lease, need: 1, demand: 10, extra: 0, callId: undefined }));
      expect(await grantLeases(query, livemode, brokerId, asks)).toHaveLength(size);
      const calls = leases.map(({ leaseId, userId }, index) => ({
        lease: { id: leaseId },
        isAbort: index % 2 === 0,
        row: paidRow(userId, 1),
      }));
      expect((await settleCalls(query, livemode, calls)).users.size).toBe(size);
      const trims = leases.map((lease) => ({ ...lease, keep: 1 }));
      expect((await trimLeases(query, livemode, brokerId, trims)).size).toBe(size);
    };
    await db.transaction(async (query) => {
      // plans are made here, while the tables are almost empty
      await useAll(query, users.slice(0, size));
      await query(addOthers);
      const before = await reads(query);
      await useAll(query, users.slice(size));
      const after = await reads(query);
      expect(after.map(({ relname, seq_scan }) => ({ relname, seq_scan }))).toEqual(
        before.map(({ relname, seq_scan }) => ({ relname, seq_scan })),
      );
      const fetched = after.map(({ relname, idx_tup_fetch }, index) => ({
        relname,
        rows: idx_tup_fetch - (before[index]?.idx_tup_fetch ?? 0),
      }));
      expect(fetched.filter(({ rows }) => rows > 12 * size)).toEqual([]);
    });
  });
});
