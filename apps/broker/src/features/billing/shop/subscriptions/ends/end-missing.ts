import { writeAuditWith } from '#platform/audit/audit-log.ts';
import { findCustomer } from '../../changes/find-payer.ts';
import type { ShopParts } from '../../shop-parts.ts';

/**
 * Ends a subscription here that the payment provider no longer has. If the provider does not know its customer either, this is
 * another account of the provider, perhaps because of a wrong key: nothing ends then, and the operator gets an alarm.
 */
export async function endMissing(
  parts: Pick<ShopParts, 'db' | 'provider' | 'access' | 'clock' | 'log'>,
  id: string,
): Promise<void> {
  const { db, access, clock, log } = parts;
  const { rows } = await db.query<{ user_id: string }>(
    `select user_id from subscriptions where payment_id = $1 union all
       select user_id from access_grants where payment_id = $1`,
    [id],
  );
  const userId = rows[0]?.user_id;
  if (userId === undefined) return;
  if (!(await isOfThisAccount(parts, userId))) {
    const text = 'the payment provider knows neither a subscription nor its customer: is it another account?';
    log.error({ subscription: id, userId }, text);
    return;
  }
  const at = new Date(clock.now());
  const isNew = await db.transaction(async (query) => {
    const ended = 'set ended_at = $2 where payment_id = $1 and ended_at is null';
    const plans = await query(`update subscriptions ${ended} returning id`, [id, at]);
    const rentals = await query(`update access_grants ${ended} returning id`, [id, at]);
    await query('update subscription_syncs set is_over = true, end_wanted = false where payment_id = $1', [id]);
    if (plans.rows.length + rentals.rows.length === 0) return false;
    const details = { subscription: id };
    await writeAuditWith(query, { actorId: undefined, action: 'subscription.missing', subject: userId, details }, at);
    return true;
  });
  if (!isNew) return;
  log.error({ subscription: id, userId }, 'the payment provider no longer has a subscription: it ended');
  await access.announce(userId);
}

async function isOfThisAccount({ db, provider }: Pick<ShopParts, 'db' | 'provider'>, userId: string): Promise<boolean> {
  const customer = await findCustomer(db.query, userId, provider.livemode);
  // the provider still answers for a deleted customer
  return customer !== undefined && (await provider.find((stripe) => stripe.customers.retrieve(customer))) !== undefined;
}
