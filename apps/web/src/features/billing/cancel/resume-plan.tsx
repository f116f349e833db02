import { useQuery } from '@tanstack/react-query';
import { billingApi } from '../billing-api.ts';
import { useNextPlanName } from '../change/use-next-plan-name.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { paymentMethodsQuery } from '../queries.ts';
import { ResumeButton } from './resume-button.tsx';
import { resumedChargeText } from './resumed-charge-text.ts';
import { resumedPlanTexts } from './resumed-plan-texts.ts';
import type { OwnRental } from '../overlap/included-rentals.ts';

export type ResumePlanProps = {
  userId: string;
  subscription: OwnSubscription;
  rentals: readonly OwnRental[];
};

/** Undoes the cancellation of a plan. Says what happens to a planned change, and which services are then paid twice. */
export function ResumePlan({ userId, subscription, rentals }: ResumePlanProps) {
  const { id, planName, nextPlanId, currentPeriodEnd, chargeIfResumed } = subscription;
  const nextName = useNextPlanName(nextPlanId);
  const { data: cards } = useQuery(paymentMethodsQuery(userId));
  const method = cards?.paymentMethods.find(({ pays }) => pays === id)?.method;
  const charge = resumedChargeText({ charge: chargeIfResumed, endsAt: currentPeriodEnd }, method);
  const twice = resumedPlanTexts(subscription, rentals, nextName);
  return (
    <ResumeButton
      userId={userId}
      name={planName}
      resume={() => billingApi.resumeSubscription({ params: { id } })}
      question={{
        title: `Resume ${planName}?`,
        text: [
          nextName === undefined
            ? charge
            : `${planName} continues until its period ends, then changes to ${nextName}, as you chose before you canceled. ${charge}`,
          ...twice,
        ].join(' '),
        confirmLabel: twice.length > 0 ? 'Resume and pay twice' : undefined,
      }}
    />
  );
}
