import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';

/**
 * A subscription that the payment provider does not have any more is over here too, and nothing asks for it again. Where it
 * does not know its customer either, it is another account of the provider, perhaps by a wrong key: nothing ends then, and the
 * operator is told.
 */
export type EndMissing = (paymentId: string) => Promise<void>;

export function createEndMissing(given: {
  db: Pick<Database, 'query' | 'transaction'>;
  provider: PaymentProvider;
  announce(userId: string): Promise<void>;
  clock: Clock;
  log: Log;
}): EndMissing {
  const { db, provider, log } = given;

  async function isOfThisAccount(userId: string): Promise<boolean> {
    const { rows } = await db.query<{ customer_id: string }>(
      'select customer_id from payment_customers where user_id = $1 and livemode = $2',
      [userId, provider.livemode],
    );
    const customer = rows[0]?.customer_id;
    // a customer that was deleted is still answered, as deleted
    return (
      customer !== undefined && (await provider.find((stripe) => stripe.customers.retrieve(customer))) !== undefined
    );
  }

  return async (paymentId) => {
    const { rows } = await db.query<{ user_id: string }>(
      `select user_id from subscriptions where payment_id = $1 union all
       select user_id from access_grants where payment_id = $1`,
      [paymentId],
    );
    const userId = rows[0]?.user_id;
    if (userId === undefined) return;
    if (!(await isOfThisAccount(userId))) {
      const text = 'the payment provider knows neither a subscription nor its customer: is it another account?';
      log.error({ subscription: paymentId, userId }, text);
      return;
    }
    const at = new Date(given.clock.now());
    const isNew = await db.transaction(async (query) => {
      const ended = 'set ended_at = $2 where payment_id = $1 and ended_at is null';
      const plans = await query(`update subscriptions ${ended} returning id`, [paymentId, at]);
      const rentals = await query(`update access_grants ${ended} returning id`, [paymentId, at]);
      await query('update subscription_syncs set is_over = true, end_wanted = false where payment_id = $1', [
        paymentId,
      ]);
      if (plans.rows.length + rentals.rows.length === 0) return false;
      const details = { subscription: paymentId };
      await writeAuditWith(query, { actorId: undefined, action: 'subscription.missing', subject: userId, details }, at);
      return true;
    });
    if (!isNew) return;
    log.error(
      { subscription: paymentId, userId },
      'the payment provider does not have a subscription any more: it ended',
    );
    await given.announce(userId);
  };
}
