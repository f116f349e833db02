import type { AuditAction } from '@souk/contract/audit-actions.ts';
import { isRefusal, makeOnce, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { writeAudit, writeAuditWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';

/**
 * Gives back what was paid for a subscription after it had ended, as on the page of an invoice that was open still: nothing
 * can be given for it. The event of its refund writes it into the history.
 * @param endedAt by the provider's time
 * @throws SoukError payments_unavailable: call again
 */
export type ReturnLate = (paymentId: string, endedAt: Date) => Promise<void>;

export function createReturnLate({
  query,
  db,
  provider,
  clock,
  log,
}: {
  query: Query;
  db: Pick<Database, 'kysely' | 'transaction'>;
  provider: PaymentProvider;
  clock: Clock;
  log: Log;
}): ReturnLate {
  async function refund(invoiceId: string, paymentIntent: string): Promise<'refunded' | { refused: string }> {
    const made = async () => {
      const { data } = await provider.call((stripe) =>
        stripe.refunds.list({ payment_intent: paymentIntent, limit: 100 }),
      );
      return data.find(({ status }) => status !== 'failed' && status !== 'canceled');
    };
    if (await made()) return 'refunded';
    try {
      await makeOnce(
        provider,
        `late:${invoiceId}`,
        (stripe, idempotencyKey) =>
          stripe.refunds.create(
            { payment_intent: paymentIntent, reason: 'requested_by_customer', metadata: { lateInvoice: invoiceId } },
            { idempotencyKey },
          ),
        made,
      );
      return 'refunded';
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { refused: error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error) };
    }
  }

  /** @returns false when another reading has noted it */
  function note(invoiceId: string, at: Date, entry: AuditEntry): Promise<boolean> {
    return db.transaction(async (run) => {
      const { rows } = await run(
        `update subscription_invoices set returned_at = $2 where invoice_id = $1 and returned_at is null returning invoice_id`,
        [invoiceId, at],
      );
      if (rows.length > 0) await writeAuditWith(run, entry, at);
      return rows.length > 0;
    });
  }

  return async (paymentId, endedAt) => {
    const { rows } = await query<{ invoice_id: string; payment_intent_id: string }>(
      `select invoice_id, payment_intent_id from subscription_invoices
       where payment_id = $1 and recorded_at > $2 and payment_intent_id is not null and returned_at is null
       order by recorded_at limit 100`,
      [paymentId, endedAt],
    );
    for (const { invoice_id: invoiceId, payment_intent_id: paymentIntent } of rows) {
      const answer = await refund(invoiceId, paymentIntent);
      const facts = { subscription: paymentId, invoiceId, ...(answer !== 'refunded' && { error: answer.refused }) };
      const isBack = answer === 'refunded';
      const at = new Date(clock.now());
      const action: AuditAction = isBack ? 'payment.returned' : 'payment.return-refused';
      const entry: AuditEntry = { actorId: undefined, action, subject: paymentId, details: facts };
      // two readings at once ask for one refund, and one of them tells
      if (isBack && !(await note(invoiceId, at, entry))) continue;
      if (isBack) log.warn(facts, 'a payment for a subscription that had ended was given back');
      else log.error(facts, 'a payment for a subscription that had ended could not be given back');
      if (!isBack) await writeAudit(db.kysely, entry, at);
    }
  };
}
