import { formatDay, formatMonthly } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';
import { PriceChange } from '../tab/price-changes.tsx';
import type { OwnSubscription } from './plan-action.ts';

/** The user's plan, if it is no longer sold and therefore has no card. */
export function KeptPlan({ subscription }: { subscription: OwnSubscription }) {
  const { planName, status, renewal, currentPeriodEnd } = subscription;
  const price = renewal ? ` for ${formatMonthly(renewal.amount, renewal.currency)}` : '';
  const end = currentPeriodEnd === null ? '' : ` on ${formatDay(currentPeriodEnd)}`;
  return (
    <div className="mb-6 flex flex-col gap-3">
      <Notice>
        Your current plan is {planName}, which is no longer sold.{' '}
        {status === 'canceled' ? `It ends${end}.` : `You keep it${price}, until you cancel or change it.`} Once you
        leave it, you can&apos;t come back to it.
      </Notice>
      <PriceChange subscription={subscription} />
    </div>
  );
}
