import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { grantCredits } from '#features/billing/ledger/change-credits.ts';
import { enrolBroker } from '#features/billing/ledger/broker-beats.ts';
import { grantLeases } from '#features/billing/ledger/grant-leases.ts';
import { settleCalls } from '#features/billing/ledger/settle-calls.ts';
import { trimLeases } from '#features/billing/ledger/trim-leases.ts';
import { paidRow } from '#features/billing/ledger/testing/paid-row.ts';
import type { Query } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases.ts';
import { migrations } from './migrations.ts';

const livemode = false;
const size = 64;

/** Tables of billing and usage that this connection has read from end to end, and how often, since its counts were last taken. */
async function wholeTables(query: Query): Promise<unknown[]> {
  const { rows } = await query(
    `select relname, seq_scan from pg_stat_xact_user_tables
     where seq_scan > 0 and (relname like 'credit%' or relname like 'ledger%' or relname like 'usage_events%') order by relname`,
  );
  return rows;
}

describeOnDatabases('the statements of the ledger', migrations, (open) => {
  test('look rows up, however many there are: no batch reads a whole table', async () => {
    const db = await open();
    await db.query(
      `insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem)
       select gen_random_uuid(), false, 1, 'purchased', 1, 'other:' || n from generate_series(1, 20000) n`,
    );
    await db.query('analyze ledger_entries');
    const users = Array.from({ length: size }, () => randomUUID());
    const brokerId = randomUUID();
    await enrolBroker(db.query, brokerId);
    for (const userId of users) {
      const grant = { userId, livemode, credits: 100, source: 'purchased' as const, idem: randomUUID() };
      await db.transaction((query) => grantCredits(query, grant));
    }
    const leases = users.map((userId) => ({ leaseId: randomUUID(), userId }));
    const asks = leases.map((lease) => ({ ...lease, need: 1, demand: 10, extra: 0, callId: undefined }));
    const calls = leases.map(({ leaseId, userId }, index) => ({
      lease: { id: leaseId },
      isAbort: index % 2 === 0,
      row: paidRow(userId, 1),
    }));
    await db.transaction(async (query) => {
      const before = await wholeTables(query);
      expect(await grantLeases(query, livemode, brokerId, asks)).toHaveLength(size);
      expect((await settleCalls(query, livemode, calls)).users.size).toBe(size);
      expect(
        (
          await trimLeases(
            query,
            livemode,
            brokerId,
            leases.map((lease) => ({ ...lease, keep: 1 })),
          )
        ).size,
      ).toBe(size);
      expect(await wholeTables(query)).toEqual(before);
    });
  });
});
