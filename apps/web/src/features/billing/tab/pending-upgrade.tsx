import { useQuery } from '@tanstack/react-query';
import { formatMoment } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';
import { UpgradeOverlap } from '../overlap/upgrade-overlap.tsx';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { offersQuery } from '../queries.ts';
import { PayNow } from './past-due.tsx';

type PendingUpgradeProps = { userId: string; subscription: OwnSubscription };

/** Says which upgrade is awaiting payment, until when, and where to pay. The user keeps the current plan until then. */
export function PendingUpgrade({ userId, subscription }: PendingUpgradeProps) {
  const { id, planName, pendingPlanId, pendingUntil } = subscription;
  const { data } = useQuery({ ...offersQuery, enabled: pendingPlanId !== null });
  if (pendingPlanId === null || pendingUntil === null) return null;
  const plan = data?.plans.find(({ planId }) => planId === pendingPlanId);
  const name = plan?.name ?? pendingPlanId;
  return (
    <Notice>
      <strong className="font-medium">Your upgrade to {name} is awaiting payment.</strong> Your bank asks you to confirm
      it by {formatMoment(pendingUntil)}. If you do nothing, you stay on {planName} and pay nothing for the upgrade.
      {plan && <UpgradeOverlap userId={userId} from={subscription} to={plan} />}
      <PayNow userId={userId} id={id} name={`the upgrade to ${name}`} />
    </Notice>
  );
}
