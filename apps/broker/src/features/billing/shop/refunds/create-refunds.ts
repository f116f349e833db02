import type { Query } from '#platform/db/database.ts';
import type { ShopParts } from '../shop-parts.ts';
import { payRefund, type RefundParts } from './pay-refund.ts';
import {
  findRefunds,
  insertPaymentRefund,
  insertRefunds,
  claimDue,
  type AccessRefund,
  type WantedPaymentRefund,
} from './refund-store.ts';

/** Time for which the broker that stored or claimed a refund has it alone. */
const claimMs = 120_000;
/** Failures after which a run ends; the next one retries. */
const maxFailures = 5;
/** Refunds that are made concurrently while a user waits, and the time for which further ones are started. */
const concurrency = 4;
const longestRunMs = 10_000;

/** A plan or rental that was ended, with its subscription at the provider. */
type PaidAccess = { id: string; userId: string; providerSubscriptionId: string };

/** Refunds of the remaining time of plans and rentals that were ended, and of single payments. */
export type Refunds = {
  /** Stores refunds in the transaction that ends what they are for. Each plan or rental has one. */
  want(query: Query, ended: readonly PaidAccess[], usedUntil: Date): Promise<void>;
  /** Stores the refund of one payment in the transaction that found what is left of it. Returns the id for `find`. */
  wantPayment(query: Query, wanted: Omit<WantedPaymentRefund, 'id' | 'livemode'>): Promise<string>;
  find(accessIds: readonly string[]): Promise<AccessRefund[]>;
  /** Makes several of them, as many as can be started within 10 s; `payDue` makes the rest. */
  payAll(refunds: readonly AccessRefund[]): Promise<void>;
  payDue(): Promise<void>;
};

export function createRefunds(parts: RefundParts & Pick<ShopParts, 'uuid'>): Refunds {
  const { db, provider, clock } = parts;
  const { livemode } = provider;
  const inMs = (ms: number) => new Date(clock.now() + ms);
  return {
    async want(query, ended, usedUntil) {
      const rows = ended.map(({ id, userId, providerSubscriptionId }) => ({
        id: parts.uuid(),
        userId,
        livemode,
        accessId: id,
        providerSubscriptionId,
      }));
      await insertRefunds(query, rows, { usedUntil, nextAt: inMs(claimMs) });
    },
    async wantPayment(query, wanted) {
      const id = parts.uuid();
      await insertPaymentRefund(query, { ...wanted, id, livemode }, { at: inMs(0), nextAt: inMs(claimMs) });
      return id;
    },
    find: (accessIds) => findRefunds(db.query, accessIds),
    async payAll(refunds) {
      const endsAtMs = performance.now() + longestRunMs;
      const waiting = refunds.values();
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
          for (const refund of waiting) {
            if (performance.now() >= endsAtMs) return;
            await payRefund(parts, refund);
          }
        }),
      );
    },
    async payDue() {
      for (let failures = 0; failures < maxFailures;) {
        const refund = await claimDue(db.query, livemode, inMs(0), inMs(claimMs));
        if (!refund) return;
        if (!(await payRefund(parts, refund))) failures += 1;
      }
    },
  };
}
