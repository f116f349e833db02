import type { DecidedBy } from '#platform/audit/decided-by.ts';
import { writeAuditsWith } from '#platform/audit/audit-log.ts';
import type { AdministrationGiven } from './administration-given.ts';
import { endAccess } from './end-access.ts';
import { payRefunds } from './pay-refunds.ts';
import { removalEntry } from './remove-access.ts';

/** failed: the provider refused, it was ended without a refund before, or this server has no such rental. */
export type RentalRefund = {
  rentalId: string;
  result: 'refunded' | 'pending' | 'nothing_paid' | 'failed';
  amountCents: number | null;
  currency: string | null;
};

/**
 * Ends rentals of a server now, and pays back what was paid for the time that is left, each by itself. Asked again, it answers
 * what came of them and pays nothing twice.
 * @param rentalIds at most 1,000
 */
export async function refundRentals(
  given: AdministrationGiven,
  serverId: string,
  rentalIds: readonly string[],
  by: DecidedBy,
): Promise<RentalRefund[]> {
  const { db, livemode, clock, access, payments } = given;
  const wanted = [...new Set(rentalIds)];
  const failed = (rentalId: string) => ({ rentalId, result: 'failed' as const, amountCents: null, currency: null });
  // nothing is ended whose refund no one could make
  if (!payments) return wanted.map(failed);
  const nowMs = clock.now();
  const ended = await db.transaction(async (query) => {
    const found = await endAccess(query, { livemode, nowMs }, { serverId, rentalIds: wanted });
    const paid = found.flatMap((one) => (one.paymentId === undefined ? [] : [{ ...one, paymentId: one.paymentId }]));
    if (paid.length > 0) await payments.refunds.want(query, paid, new Date(nowMs));
    const entries = found.map((one) => removalEntry(one, by, { livemode, isRefunded: one.paymentId !== undefined }));
    await writeAuditsWith(query, entries, new Date(nowMs));
    return found;
  });
  for (const userId of new Set(ended.map((one) => one.userId))) await access.announce(userId);
  const isPaid = await findEnded(given, serverId, wanted);
  const refunds = await payRefunds(given, [...isPaid.keys()]);
  return wanted.map((rentalId): RentalRefund => {
    const refund = refunds.get(rentalId);
    if (refund) return { rentalId, ...refund };
    const isNothing = refund === null || isPaid.get(rentalId) === false;
    return isNothing ? { ...failed(rentalId), result: 'nothing_paid' } : failed(rentalId);
  });
}

/** Those that are rentals of this server and have ended, by id, and whether they were paid for: the others are not told of. */
async function findEnded(
  { db, livemode }: AdministrationGiven,
  serverId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await db.query<{ id: string; is_paid: boolean }>(
    `select id, payment_id is not null as is_paid from access_grants
     where livemode = $1 and kind = 'rental' and server_id = $2 and id::text = any($3::text[]) and ended_at is not null`,
    [livemode, serverId, ids],
  );
  return new Map(rows.map((row) => [row.id, row.is_paid]));
}
