import type { Plan } from '@souk/contract/billing/billing.ts';
import { formatDay } from '#ui/text/amount.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { includedRentals, includes, type OwnRental } from './included-rentals.ts';
import { inPlanTwiceText } from './overlap-texts.ts';

/**
 * Says, while an upgrade is unpaid, which rentals the higher plan includes: those that continue, and those that end.
 */
export function upgradeOverlapTexts(
  rentals: readonly OwnRental[],
  from: Pick<OwnSubscription, 'tier'>,
  to: Pick<Plan, 'planId' | 'name' | 'tier'>,
): string[] {
  const included = includedRentals(rentals, to.tier);
  const ending = included.filter(({ endsWithPlanId }) => endsWithPlanId === to.planId);
  // a rental that the current plan includes is paid twice already, and Billing says so
  const staying = included.filter((one) => !ending.includes(one) && !includes(from.tier, one.tier));
  return [
    ...(staying.length > 0 ? [inPlanTwiceText(to.name, staying)] : []),
    ...ending.map(({ name, endDate }) => {
      const day = endDate === null ? 'with its period' : `on ${formatDay(endDate)}`;
      return `Once you pay for ${to.name}, the rental of ${name} ends ${day}.`;
    }),
  ];
}
