import type { OwnedStatus, SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { formatDay } from '#ui/text/amount.ts';
import { billingApi } from '../billing-api.ts';
import { useServicesLost } from '../change/use-services-lost.ts';
import { messageOf } from '../failure-texts.ts';
import { planCreditsText } from '../plan-credits-left.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { useNextPlanName } from '../change/use-next-plan-name.ts';
import { EndDialog } from './end-dialog.tsx';

export type CancelSubscriptionDialogProps = {
  userId: string;
  subscription: OwnSubscription | undefined;
  credits: SubscriptionAnswer['credits'];
  onClose: () => void;
};

/** Asks, then cancels a subscription, which ends with its paid period (spec part 2, section 4). */
export function CancelSubscriptionDialog({ userId, subscription, credits, onClose }: CancelSubscriptionDialogProps) {
  const lost = useServicesLost(userId, { enabled: subscription !== undefined });
  const losing = lost.length === 0 ? '' : ` With the plan you lose ${lost.join(', ')}.`;
  const expiring = planCreditsText(credits);
  const nextName = useNextPlanName(subscription?.nextPlanId ?? null);
  const pendingName = useNextPlanName(subscription?.pendingPlanId ?? null);
  const unpaid =
    pendingName === undefined
      ? ''
      : ` Your unpaid upgrade to ${pendingName} is canceled too, and you pay nothing for it.`;
  const dropped = nextName === undefined ? '' : ` Your change to ${nextName} won't happen`;
  return (
    <EndDialog
      userId={userId}
      thing={subscription}
      onClose={onClose}
      title={({ planName, status }) => (status === 'active' ? `Cancel ${planName}?` : `End ${planName} now?`)}
      question={({ currentPeriodEnd, status }) =>
        status === 'active'
          ? `Are you sure you want to cancel this system subscription? ${cancellationText(currentPeriodEnd)}${unpaid}${dropped && `${dropped}, unless you resume.`}${expiring}${losing}`
          : `${cancellationText(currentPeriodEnd, status)}${dropped && `${dropped}.`}`
      }
      confirmLabel={subscription?.status === 'active' ? 'Cancel subscription' : 'End now'}
      end={({ id, status }) => billingApi.cancelSubscription({ params: { id }, body: { shown: status } })}
      subject={({ planName }) => `The ${planName} plan`}
      failure={(error) => {
        const message = messageOf(error);
        return message === undefined
          ? 'Failed to cancel subscription. Please try again or contact support.'
          : `Failed to cancel subscription: ${message}`;
      }}
    />
  );
}

/** Says whether a cancellation can be undone (clarifications, Small questions). An unpaid month gives no access. */
export function cancellationText(endsAt: string | null, status?: OwnedStatus): string {
  if (status === 'unpaid') return 'Nothing more is charged. This action cannot be undone.';
  if (status === 'past_due')
    return 'Its last payment failed: access ends now, and nothing more is charged. This action cannot be undone.';
  if (endsAt === null) return 'This action cannot be undone.';
  return `You keep access until ${formatDay(endsAt)} and can resume until then.`;
}
