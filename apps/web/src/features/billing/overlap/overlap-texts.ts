import { formatDay } from '#ui/text/amount.ts';
import { chargeText } from '#web/texts/charge-text.ts';
import { listed } from '#web/texts/listed.ts';
import type { RentalInPlan } from './rentals-paid-twice.ts';

export function endingText({ rental: { name, endDate }, plan, until: includedUntil }: RentalInPlan): string {
  const until = endDate === null ? 'its period ends' : formatDay(endDate);
  return `The rental of ${name} is canceled: you keep it until ${until}, and it is not charged again. Your ${plan} plan includes ${name}${untilText(includedUntil)}.`;
}

/** Says that the user keeps paying for a rental that their plan includes, and from when. */
export function twiceText({ rental: { name, endDate, charge }, plan, until }: RentalInPlan): string {
  const price = charge ? ` for ${chargeText(charge)}` : '';
  const renews = endDate === null ? 'renews' : `renews on ${formatDay(endDate)}`;
  return `You pay twice for ${name}: your ${plan} plan includes it${untilText(until)}, and its rental ${renews}${price}, until you cancel it in Billing.`;
}

/** Says, before the user pays for a plan, which rentals it includes. */
export const inPlanTwiceText = (plan: string, rentals: readonly { name: string }[]): string =>
  `${plan} includes ${listed(rentals.map(({ name }) => name))}, which you rent. With both, you pay twice.`;

/** @param until the time when a plan stops including a rental; null: unknown */
export const untilText = (until: string | null): string => (until === null ? '' : ` until ${formatDay(until)}`);
