import type { NextCharge, OwnedStatus } from '@souk/contract/billing/billing.ts';
import { formatDay } from '#ui/text/amount.ts';
import { chargeText } from '#web/texts/charge-text.ts';

type Paid = {
  status: OwnedStatus;
  source: 'payment' | 'administrator';
  /** ISO time; null: no end. */
  periodEnd: string | null;
  charge: NextCharge | null;
  nextName?: string | undefined;
};

/**
 * Returns facts about the next charge of a plan or rental, or about what happens instead.
 * @param kind its type in words (spec part 2, section 2: "type, next billing date")
 */
export function whenCharged(kind: 'Subscription' | 'Rental', paid: Paid, nowMs: number): string[] {
  const { status, source, periodEnd, charge, nextName } = paid;
  if (source === 'administrator')
    return [`Given by your administrator${periodEnd === null ? '' : `, until ${formatDay(periodEnd)}`}`];
  if (periodEnd === null) return [kind];
  const day = formatDay(periodEnd);
  const price = charge ? [chargeText(charge)] : [];
  if (status === 'canceled') return [kind, `ends at the end of the billing period, on ${day}`];
  if (nextName !== undefined) return [kind, `changes to ${nextName} on ${day}`, ...price];
  if (status === 'unpaid') return [kind, 'not paid, access has ended'];
  if (status === 'past_due') return [kind, 'the last payment failed'];
  // the payment provider has not reported the renewal yet
  if (Date.parse(periodEnd) <= nowMs) return [kind, 'renewal in progress'];
  return [kind, `next billing date ${day}`, ...price];
}
