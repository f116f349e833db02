import { writeAuditsWith } from '#platform/audit/audit-log.ts';
import type { DecidedBy } from '#platform/audit/decided-by.ts';
import type { Query } from '#platform/db/database.ts';
import type { AdministrationParts } from './administration-parts.ts';
import { endAccess } from './end-access.ts';
import { payRefunds } from './pay-refunds.ts';
import { removalEntry } from './remove-access.ts';

/** failed: the provider refused, the rental had been ended without a refund, or the server has no such rental. */
export type RentalRefund = {
  rentalId: string;
  result: 'refunded' | 'pending' | 'nothing_paid' | 'failed';
  amountCents: number | null;
  currency: string | null;
};

/** Ends rentals of a server now, and refunds the unused time of each. */
export type RefundedRentals = {
  /**
   * Ends the rentals and stores their refunds, with audit rows, in the caller's transaction. Nothing ends where payments are
   * off, since no refund could be made.
   * @param rentalIds at most 1,000
   */
  end(query: Query, serverId: string, rentalIds: readonly string[], by: DecidedBy): Promise<void>;
  /** Makes the refunds of rentals that have ended, and returns their results. Repeatable: nothing is refunded twice. */
  pay(serverId: string, rentalIds: readonly string[]): Promise<RentalRefund[]>;
};

export function createRefundedRentals(parts: AdministrationParts): RefundedRentals {
  const { livemode, clock, access, payments } = parts;
  return {
    async end(query, serverId, rentalIds, by) {
      if (!payments) return;
      const nowMs = clock.now();
      const found = await endAccess(query, { livemode, nowMs }, { serverId, rentalIds: [...new Set(rentalIds)] });
      const paid = found.flatMap(({ providerSubscriptionId, ...one }) =>
        providerSubscriptionId === undefined ? [] : [{ ...one, providerSubscriptionId }],
      );
      if (paid.length > 0) await payments.refunds.want(query, paid, new Date(nowMs));
      const entries = found.map((one) =>
        removalEntry(one, by, { livemode, isRefunded: one.providerSubscriptionId !== undefined }),
      );
      await writeAuditsWith(query, entries, new Date(nowMs));
    },
    async pay(serverId, rentalIds) {
      const wanted = [...new Set(rentalIds)];
      const ended = await findEnded(parts, serverId, wanted);
      for (const userId of new Set(Array.from(ended.values(), (one) => one.userId))) await access.announce(userId);
      const refunds = await payRefunds(parts, [...ended.keys()]);
      return wanted.map((rentalId): RentalRefund => {
        const refund = refunds.get(rentalId);
        if (refund) return { rentalId, ...refund };
        const isNothing = refund === null || ended.get(rentalId)?.isPaid === false;
        return { rentalId, result: isNothing ? 'nothing_paid' : 'failed', amountCents: null, currency: null };
      });
    },
  };
}

async function findEnded(
  { db, livemode }: AdministrationParts,
  serverId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { userId: string; isPaid: boolean }>> {
  const { rows } = await db.query<{ id: string; user_id: string; is_paid: boolean }>(
    `select id, user_id, payment_id is not null as is_paid from access_grants
     where livemode = $1 and kind = 'rental' and server_id = $2 and id::text = any($3::text[]) and ended_at is not null`,
    [livemode, serverId, ids],
  );
  return new Map(rows.map((row) => [row.id, { userId: row.user_id, isPaid: row.is_paid }]));
}
