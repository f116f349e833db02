import { formatCount, formatDay, formatMonthly } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';
import type { OwnSubscription } from '../plans/plan-action.ts';

/** A plan whose price or credits change at a later renewal. */
export function PriceChange({ subscription }: { subscription: OwnSubscription }) {
  const { planName, nextPlanId, priceChange } = subscription;
  if (!priceChange) return null;
  const plan = nextPlanId === null ? `Your ${planName} plan` : 'The plan that you chose for the next period';
  const { from, to, at } = priceChange;
  const day = formatDay(at);
  const credits =
    from.monthlyCredits === to.monthlyCredits
      ? ''
      : ` It then includes ${formatCount(to.monthlyCredits)} credits a month instead of ${formatCount(from.monthlyCredits)}.`;
  const price =
    from.amount === to.amount
      ? `${plan} changes on ${day}. It still costs ${formatMonthly(to.amount, to.currency)}.`
      : `${plan} renews at ${formatMonthly(to.amount, to.currency)} from ${day}. Until then it costs ${formatMonthly(from.amount, from.currency)}.`;
  return (
    <Notice>
      {price}
      {credits} If you don't want that, cancel before {day}.
    </Notice>
  );
}
