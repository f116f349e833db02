import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { noteNotice } from '#platform/notices/outbox.ts';
import { isChangeUnderWay, type PurchaseLock, type PurchaseLocks } from '../changes/purchase-locks.ts';
import { refundRest } from './refund-rest.ts';
import {
  decidePayments,
  endRefund,
  findRefunds,
  isOver,
  insertPaymentRefund,
  insertRefunds,
  postponeRefund,
  takeDue,
  writePayments,
  type AccessRefund,
  type RefundPayment,
  type WantedPaymentRefund,
} from './refund-store.ts';

/** How long the one that wrote a refund, or took it, has it for itself. */
const claimMs = 120_000;
const longestWaitMs = 30 * 60_000;
/** A failure is an alarm from this attempt on. */
const alarmingAttempt = 5;
/** A provider that does not answer is left alone until the next run. */
const mostFailures = 5;
/** How many refunds are made at once, and for how long while a person waits. */
const atOnce = 4;
const longestRunMs = 10_000;
/** What the provider has refused may have another answer when its cause is gone: a balance that was too low, a dispute. */
const refusedAgainMs = 24 * 60 * 60_000;
/** So long it is tried again, and told to administrators. */
export const refundFailedForMs = 90 * 24 * 60 * 60_000;

/** A plan or rental that was ended, with its subscription at the provider. */
type PaidAccess = { id: string; userId: string; paymentId: string };

/** Paying back what was paid for the time that is left of plans and rentals that were ended. */
export type Refunds = {
  /** Notes refunds in the transaction that ends what they are for. Each is of one plan or rental, once. */
  want(query: Query, ended: readonly PaidAccess[], usedUntil: Date): Promise<void>;
  /** Notes the refund of one payment in the transaction that found what is left of it; `find` has it by its own id. */
  wantPayment(query: Query, wanted: Omit<WantedPaymentRefund, 'id' | 'livemode'>): Promise<string>;
  /** Finds the refunds of plans and rentals by the ids of these. */
  find(accessIds: readonly string[]): Promise<AccessRefund[]>;
  /** Pays several of them, as far as time allows; `payDue` does the rest. */
  payAll(refunds: readonly AccessRefund[]): Promise<void>;
  /** Goes on with all that were left. */
  payDue(): Promise<void>;
};

const refundActions = {
  access: { refunded: 'access.refunded', failed: 'access.refund-failed' },
  payment: { refunded: 'user.refunded', failed: 'user.refund-failed' },
} as const;

export function createRefunds(given: {
  db: Pick<Database, 'query' | 'transaction'>;
  provider: PaymentProvider;
  /** Ends a subscription at the provider, and reads it and its payments again. */
  endNow(paymentId: string, lock: PurchaseLock): Promise<unknown>;
  locks: PurchaseLocks;
  uuid: () => string;
  clock: Clock;
  log: Log;
}): Refunds {
  const { db, provider, clock, log } = given;
  const inMs = (ms: number) => new Date(clock.now() + ms);

  async function end(refund: AccessRefund, state: 'refunded' | 'nothing_paid' | 'failed', error?: string) {
    const { id, userId, accessId, paymentId, transactionId, currency } = refund;
    // that it failed was told when it did
    if (state === 'failed' && refund.state === 'failed') return postponeRefused(refund, error ?? '');
    if (state === 'failed')
      log.error(
        { refund: id, ...(transactionId ? { transactionId } : { subscription: paymentId }), reason: error },
        'a refund was refused: an operator has to look',
      );
    await db.transaction(async (query) => {
      const at = inMs(0);
      const again = state === 'failed' && { error: error ?? '', nextAt: inMs(refusedAgainMs) };
      const amount = await endRefund(query, id, { state, at, ...again });
      if (amount === undefined || state === 'nothing_paid') return;
      const details = {
        ...(transactionId === undefined ? { id: accessId } : { paymentId: transactionId, refundId: id }),
        amount,
        currency,
        sandbox: !provider.livemode,
        ...(error !== undefined && { error }),
      };
      const action = refundActions[transactionId === undefined ? 'access' : 'payment'][state];
      await writeAuditWith(query, { actorId: undefined, action, subject: userId, details }, inMs(0));
      if (state === 'refunded')
        await noteNotice(query, { kind: 'payment_refunded', userId, event: id, facts: { amount, currency } }, inMs(0));
    });
  }

  async function postponeRefused({ id, doneAt }: AccessRefund, error: string): Promise<void> {
    const isOld = doneAt !== undefined && clock.now() - doneAt.getTime() > refundFailedForMs;
    await postponeRefund(db.query, id, { nextAt: isOld ? undefined : inMs(refusedAgainMs), error });
  }

  /** Ends the subscription at the provider, decides what is paid back of it, and has it refunded. */
  async function work(refund: AccessRefund, lock: PurchaseLock): Promise<void> {
    if (!refund.payments && !(await isOver(db.query, refund.paymentId))) await given.endNow(refund.paymentId, lock);
    const payments = await db.transaction((query) => decidePayments(query, refund.id));
    let refused: string | undefined;
    for (const payment of payments) {
      if (payment.amount === 0) continue;
      await lock.confirm();
      refused = (await refundOne(refund, payment)) ?? refused;
      await writePayments(db.query, refund.id, payments);
    }
    if (refused !== undefined) return end(refund, 'failed', refused);
    await end(refund, payments.some(({ amount }) => amount > 0) ? 'refunded' : 'nothing_paid');
  }

  /** Notes in the payment what went back of it. @returns why the provider refuses what is missing */
  async function refundOne({ id, state, doneAt }: AccessRefund, payment: RefundPayment): Promise<string | undefined> {
    const { paymentIntentId, amount } = payment;
    const failedAtMs = state === 'failed' && doneAt ? doneAt.getTime() : Number.POSITIVE_INFINITY;
    const back = await refundRest(provider, {
      paymentIntentId,
      amount,
      name: { key: 'accessRefund', value: id },
      reason: 'requested_by_customer',
      // what was given back in another way since the provider refused ours
      counts: (one) => (one.created + 1) * 1000 > failedAtMs,
    });
    if (back.refused !== undefined) {
      payment.missing = back.missing;
      return back.refused;
    }
    delete payment.missing;
    payment.amount = back.returned + back.pending;
    const made = back.refunds.find(({ metadata }) => metadata?.['accessRefund'] === id);
    if (made) payment.refundId = made.id;
    return undefined;
  }

  /** @returns false where it did not work out: `payDue` tries it again. May be repeated after a failure at any step. */
  async function pay(refund: AccessRefund): Promise<boolean> {
    if (refund.state === 'refunded' || refund.state === 'nothing_paid') return true;
    try {
      await given.locks.run(refund.userId, (lock) => work(refund, lock));
      return true;
    } catch (error) {
      if (isChangeUnderWay(error)) {
        await postponeRefund(db.query, refund.id, { nextAt: inMs(15_000), error: 'another change was under way' });
        return true;
      }
      const facts = { err: error, refund: refund.id, attempts: refund.attempts + 1 };
      const text = 'a refund could not be made; it is tried again';
      if (refund.attempts + 1 >= alarmingAttempt) log.error(facts, text);
      else log.warn(facts, text);
      const nextAt = inMs(Math.min(longestWaitMs, 15_000 * 2 ** refund.attempts));
      await postponeRefund(db.query, refund.id, { nextAt, error: String(error) });
      return false;
    }
  }

  return {
    async want(query, ended, usedUntil) {
      const { livemode } = provider;
      const rows = ended.map(({ id, userId, paymentId }) => ({
        id: given.uuid(),
        userId,
        livemode,
        accessId: id,
        paymentId,
      }));
      await insertRefunds(query, rows, { usedUntil, nextAt: inMs(claimMs) });
    },
    async wantPayment(query, wanted) {
      const id = given.uuid();
      const refund = { ...wanted, id, livemode: provider.livemode };
      await insertPaymentRefund(query, refund, { at: inMs(0), nextAt: inMs(claimMs) });
      return id;
    },
    find: (accessIds) => findRefunds(db.query, accessIds),
    async payAll(refunds) {
      const endsAtMs = performance.now() + longestRunMs;
      const waiting = refunds.values();
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (const refund of waiting) {
            if (performance.now() >= endsAtMs) return;
            await pay(refund);
          }
        }),
      );
    },
    async payDue() {
      for (let failures = 0; failures < mostFailures;) {
        const refund = await takeDue(db.query, provider.livemode, inMs(0), inMs(claimMs));
        if (!refund) return;
        if (!(await pay(refund))) failures += 1;
      }
    },
  };
}
