import { useQuery } from '@tanstack/react-query';
import { billingApi } from '../billing-api.ts';
import { useNextPlanName } from '../change/use-next-plan-name.ts';
import { inclusionOf } from '../overlap/rentals-paid-twice.ts';
import { noSubscription, paymentMethodsQuery, subscriptionQuery } from '../queries.ts';
import { ResumeButton } from './resume-button.tsx';
import { resumedChargeText } from './resumed-charge-text.ts';
import { resumedRentalText } from './resumed-rental-text.ts';

export type ResumeRentalProps = { userId: string; service: { id: string; name: string } };

/**
 * Undoes the cancellation of a rental. If the user's plan includes the service, says until when they would pay twice.
 */
export function ResumeRental({ userId, service: { id, name } }: ResumeRentalProps) {
  const { data } = useQuery(subscriptionQuery(userId));
  const { data: cards } = useQuery(paymentMethodsQuery(userId));
  const { subscription } = data ?? noSubscription;
  const rental = subscription.rentals.find(({ mcpId }) => mcpId === id);
  const inclusion = rental && inclusionOf(subscription, rental);
  // a canceled plan drops its planned change
  const nextName = useNextPlanName(inclusion?.plan.status === 'active' ? inclusion.plan.nextPlanId : null);
  const method = cards?.paymentMethods.find(({ pays }) => pays === rental?.id)?.method;
  const charge = resumedChargeText(
    { charge: rental?.chargeIfResumed ?? null, endsAt: rental?.endDate ?? null },
    method,
  );
  return (
    <ResumeButton
      userId={userId}
      name={name}
      resume={() => billingApi.resumeRental({ params: { mcpId: id } })}
      question={{
        title: `Resume the rental of ${name}?`,
        ...(inclusion
          ? resumedRentalText({
              name,
              charge,
              chargedAt: rental.chargeIfResumed?.at ?? rental.endDate,
              inPlan: { planName: inclusion.plan.planName, until: inclusion.until, nextName },
            })
          : { text: charge }),
      }}
    />
  );
}
