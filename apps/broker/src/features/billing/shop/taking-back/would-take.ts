import type { Query } from '#platform/db/database.ts';
import type { KnownPayment } from './find-payment.ts';
import { creditsOf } from './take-credits.ts';

/** Computes the credits that a refund of this amount would claw back, as `takeCredits` does, without changing anything. */
export async function wouldTake(query: Query, payment: KnownPayment, amount: number): Promise<number> {
  if (payment.granted === 0) return 0;
  const { rows } = await query<{ takeable: number }>(
    `select coalesce(sum(granted - clawed - expired
         - case when expires_at <= now() then least(remaining, granted - clawed - expired) else 0 end), 0)::bigint as takeable
     from credit_lots where user_id = $1 and livemode = $2
       and (idem = $3 or (starts_with(idem, $3 || ':') and right(idem, 9) = ':restored'))`,
    [payment.userId, payment.livemode, payment.grant],
  );
  return Math.min(creditsOf(payment, amount), rows[0]?.takeable ?? 0);
}
