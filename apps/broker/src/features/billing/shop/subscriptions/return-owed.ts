import type { AuditAction } from '@souk/contract/admin/audit-actions.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import { refundRest } from '../refunds/refund-rest.ts';
import { returnBalance } from '../refunds/return-balance.ts';
import type { ShopParts } from '../shop-parts.ts';
import { recordReturned, postponeReturn, claimOwed, type OwedInvoice } from './reading/invoice-store.ts';

/** Time for which the broker that claimed a payment has it alone. */
const claimMs = 120_000;
/** Interval at which a refund that a bank carries out within days is checked. */
const pendingMs = 60 * 60_000;
const refusedAgainMs = 24 * 60 * 60_000;
/** Failures after which a run ends; the next one retries. */
const maxFailures = 3;

/**
 * Refunds payments for subscriptions that cannot be fulfilled (invoice-store.ts): the money, and what they took from the
 * balance of the customer. The events of the refunds record them in the history.
 */
export type ReturnOwed = {
  /** Refunds the payments for one subscription. @throws SoukError payments_unavailable: a job continues */
  of(providerSubscriptionId: string, lock: PurchaseLock): Promise<void>;
  /** Refunds all payments that are due. */
  due(): Promise<void>;
};

export function createReturnOwed(parts: Pick<ShopParts, 'db' | 'provider' | 'locks' | 'clock' | 'log'>): ReturnOwed {
  const { db, provider, locks, clock, log } = parts;
  const inMs = (ms: number) => new Date(clock.now() + ms);
  const take = (of?: string) =>
    claimOwed(db.query, { livemode: provider.livemode, now: inMs(0), nextAt: inMs(claimMs), of });

  async function returnOne(owed: OwedInvoice, lock: PurchaseLock | undefined): Promise<void> {
    const { invoiceId, paymentIntentId, amount } = owed;
    await lock?.confirm();
    if (paymentIntentId === undefined && amount > 0)
      return refused(owed, { error: 'it was paid outside of the payment provider', left: amount });
    if (paymentIntentId !== undefined) {
      const back = await refundRest(provider, {
        paymentIntentId,
        name: { key: 'lateInvoice', value: invoiceId },
        reason: 'requested_by_customer',
        // nothing is delivered for the payment: every refund of it counts
        counts: () => true,
      });
      if (back.refused !== undefined) return refused(owed, { error: back.refused, left: back.missing });
      if (back.pending > 0) return postponeReturn(db.query, invoiceId, { nextAt: inMs(pendingMs) });
    }
    await returnBalance(provider, { invoiceId, used: owed.balanceUsed });
    await report(owed, 'payment.returned');
  }

  async function refused(owed: OwedInvoice, { error, left }: { error: string; left: number }): Promise<void> {
    await postponeReturn(db.query, owed.invoiceId, { nextAt: inMs(refusedAgainMs), refused: { error, left } });
    if (!owed.wasRefused) await report(owed, 'payment.return-refused', { error, left });
  }

  async function report(
    { invoiceId, providerSubscriptionId, reason }: OwedInvoice,
    action: Extract<AuditAction, 'payment.returned' | 'payment.return-refused'>,
    trouble: { error?: string; left?: number } = {},
  ): Promise<void> {
    const details = { subscription: providerSubscriptionId, invoiceId, why: reason, ...trouble };
    const isNew = await db.transaction(async (query) => {
      if (action === 'payment.returned' && !(await recordReturned(query, invoiceId, inMs(0)))) return false;
      await writeAuditWith(query, { actorId: undefined, action, subject: providerSubscriptionId, details }, inMs(0));
      return true;
    });
    if (!isNew) return;
    if (action === 'payment.returned') log.warn(details, 'a payment for a subscription was refunded');
    else log.error(details, 'a payment for a subscription could not be refunded: an operator has to look');
  }

  return {
    async of(id, lock) {
      for (let owed = await take(id); owed; owed = await take(id)) await returnOne(owed, lock);
    },
    async due() {
      for (let failures = 0; failures < maxFailures;) {
        const owed = await take();
        if (!owed) return;
        try {
          await locks.runFor(owed.providerSubscriptionId, (lock) => returnOne(owed, lock));
        } catch (error) {
          failures += 1;
          log.warn({ err: error, invoiceId: owed.invoiceId }, 'a payment could not be refunded yet');
        }
      }
    },
  };
}
