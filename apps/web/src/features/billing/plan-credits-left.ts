import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { formatCount, formatDay } from '#ui/text/amount.ts';

/** Returns the remaining credits of a plan, by the day on which they expire. */
export function planCreditsLeft({ parts }: Pick<SubscriptionAnswer['credits'], 'parts'>) {
  return parts.flatMap(({ source, credits, expiresAt }) =>
    source === 'plan' && expiresAt !== null ? [{ credits, day: formatDay(expiresAt) }] : [],
  );
}

/** Says when the remaining credits expire, for the dialog that cancels the plan. Empty if none remain. */
export function planCreditsText(credits: Pick<SubscriptionAnswer['credits'], 'parts'>): string {
  return planCreditsLeft(credits)
    .map(({ credits: left, day }) =>
      left === 1
        ? ` The credit that is left from this plan expires on ${day}.`
        : ` The ${formatCount(left)} credits that are left from this plan expire on ${day}.`,
    )
    .join('');
}
