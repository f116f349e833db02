import { formatDay } from '#ui/amount.ts';
import { billingApi } from '../billing-api.ts';
import { messageOf } from '../failure-texts.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { EndDialog } from './end-dialog.tsx';

export type CancelSubscriptionDialogProps = {
  userId: string;
  subscription: OwnSubscription | undefined;
  onClose: () => void;
};

/** Asks, then ends a subscription with its paid period (spec part 2, section 4). */
export function CancelSubscriptionDialog({ userId, subscription, onClose }: CancelSubscriptionDialogProps) {
  return (
    <EndDialog
      userId={userId}
      thing={subscription}
      onClose={onClose}
      title={({ planName }) => `Cancel ${planName}?`}
      question={({ currentPeriodEnd }) =>
        `Are you sure you want to cancel this system subscription? ${whatItMeans(currentPeriodEnd)}`
      }
      confirmLabel="Cancel subscription"
      end={({ id }) => billingApi.cancelSubscription({ params: { id } })}
      what={({ planName }) => `The ${planName} plan`}
      failure={(error) => {
        const message = messageOf(error);
        return message === undefined
          ? 'Failed to cancel subscription. Please try again or contact support.'
          : `Failed to cancel subscription: ${message}`;
      }}
    />
  );
}

/** What can be resumed says so; the rest cannot be undone (clarifications, Small questions). */
export function whatItMeans(endsAt: string | null): string {
  if (endsAt === null) return 'This action cannot be undone.';
  return `You keep access until ${formatDay(endsAt)} and can resume until then.`;
}
