import type { Query } from '#platform/db/database.ts';
import { clawBackCredits, grantCredits } from '../../credits/accounts/change-credits.ts';
import type { KnownPayment } from './find-payment.ts';

/**
 * Claws back the part of a payment's credits that was refunded or is disputed: what is free at once, the rest as debt. Never
 * more than the payment brought, even if it is both refunded and disputed, and no credits that expired unspent.
 * @param fact `refund:{id}` or `dispute:{id}`: each takes once
 * @param amount minor units of the payment
 */
export async function clawBackPayment(
  query: Query,
  payment: KnownPayment,
  { fact, amount, contra }: { fact: string; amount: number; contra: 'refund' | 'dispute' },
): Promise<void> {
  if (payment.granted === 0 || (await takenBy(query, payment, fact)) > 0) return;
  const { userId, livemode, grant } = payment;
  let left = creditsOf(payment, amount);
  // credits that an earlier dispute took and restored are a grant of their own
  for (const [index, one] of [grant, ...(await restoredGrants(query, payment))].entries()) {
    if (left === 0) return;
    const idem = index === 0 ? fact : `${fact}:${index}`;
    left -= await clawBackCredits(query, { userId, livemode, idem, credits: left, contra, grant: one });
  }
}

/** Returns the credits of a payment that this part of its amount paid for, rounded up. */
const creditsOf = ({ granted, amount: paid }: KnownPayment, amount: number): number =>
  Math.ceil((granted * Math.min(amount, paid)) / paid);

/** Lifetime of restored credits whose own expiry has passed. */
const spendableAgainMs = 30 * 86_400_000;

/** Restores what a fact took, once: the dispute is won, or the refund has failed. */
export async function restoreCredits(query: Query, payment: KnownPayment, fact: string, at: Date): Promise<void> {
  const { userId, livemode, grant } = payment;
  const credits = await takenBy(query, payment, fact);
  if (credits === 0) return;
  const { rows: lots } = await query<{ source: 'plan' | 'purchased'; expires_at: Date | null }>(
    'select source, expires_at from credit_lots where idem = $1',
    [grant],
  );
  await grantCredits(query, {
    userId,
    livemode,
    credits,
    source: lots[0]?.source ?? 'purchased',
    expiresAt: expiryOfRestored(lots[0]?.expires_at ?? undefined, at),
    idem: `${grant}:${fact}:restored`,
    reason: 'The payment stands',
  });
}

const expiryOfRestored = (date: Date | undefined, at: Date): Date | undefined =>
  date && (date > at ? date : new Date(at.getTime() + spendableAgainMs));

async function restoredGrants(query: Query, { userId, grant }: KnownPayment): Promise<string[]> {
  const { rows } = await query<{ idem: string }>(
    `select idem from credit_lots where user_id = $1 and starts_with(idem, $2) and right(idem, 9) = ':restored' order by number`,
    [userId, `${grant}:`],
  );
  return rows.map(({ idem }) => idem);
}

async function takenBy(query: Query, { userId, livemode }: KnownPayment, fact: string): Promise<number> {
  const { rows } = await query<{ credits: number }>(
    `select coalesce(-sum(delta), 0)::bigint as credits from ledger_entries
     where user_id = $1 and livemode = $2 and (idem = $3 or starts_with(idem, $3 || ':'))`,
    [userId, livemode, fact],
  );
  return rows[0]?.credits ?? 0;
}

/** Computes the credits that a refund of this amount would claw back, as `clawBackPayment` does, without changing anything. */
export async function wouldClawBack(query: Query, payment: KnownPayment, amount: number): Promise<number> {
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
