import { useQuery } from '@tanstack/react-query';
import { formatMoment } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';
import { RentalsBesideUpgrade } from '../overlap/rentals-beside-upgrade.tsx';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { offersQuery } from '../queries.ts';
import { PayNow } from './past-due.tsx';

type PendingUpgradeProps = { userId: string; subscription: OwnSubscription };

/** Says which upgrade waits for its payment, until when, and where it is paid. The present plan stays until then. */
export function PendingUpgrade({ userId, subscription }: PendingUpgradeProps) {
  const { id, planName, pendingPlanId, pendingUntil } = subscription;
  const { data } = useQuery({ ...offersQuery, enabled: pendingPlanId !== null });
  if (pendingPlanId === null || pendingUntil === null) return null;
  const plan = data?.plans.find(({ planId }) => planId === pendingPlanId);
  const name = plan?.name ?? pendingPlanId;
  return (
    <Notice>
      <strong className="font-medium">Your upgrade to {name} waits for your payment.</strong> Your bank asks you to
      confirm it by {formatMoment(pendingUntil)}. If you do nothing, you stay on {planName} and pay nothing for the
      upgrade.
      {plan && <RentalsBesideUpgrade userId={userId} from={subscription} to={plan} />}
      <PayNow userId={userId} id={id} name={`the upgrade to ${name}`} />
    </Notice>
  );
}
