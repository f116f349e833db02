import { formatDay } from '#ui/text/amount.ts';
import { monthlyChargeText } from '#web/texts/charge-text.ts';
import type { OwnRental } from '../overlap/included-rentals.ts';
import { rentalsPaidTwice } from '../overlap/rentals-paid-twice.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';

/**
 * Says for which services the user pays twice after resuming their plan.
 * @param nextName the plan planned for the next period
 */
export function resumedPlanTexts(
  subscription: OwnSubscription,
  rentals: readonly OwnRental[],
  nextName: string | undefined,
): string[] {
  const resumed = { ...subscription, status: 'active' as const };
  const owned = { subscriptions: [resumed], rentals: [...rentals], purchases: [], trials: [] };
  return rentalsPaidTwice(owned).map(({ rental: { name, charge }, plan, until }) => {
    const renting = `${name}, which you rent${charge ? ` for ${monthlyChargeText(charge)}` : ''}.`;
    if (until !== null)
      return `${plan} includes ${name} until ${formatDay(until)}. Until then you pay twice for ${renting}`;
    const includes = nextName === undefined ? `${plan} includes` : `${plan} and ${nextName} include`;
    return `${includes} ${renting} With both, you pay twice.`;
  });
}
