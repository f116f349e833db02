import { useMutation, useQuery } from '@tanstack/react-query';
import { Button, type ButtonProps } from '#ui/button.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { billingApi } from '../billing-api.ts';
import { rememberCards } from '../changed-card.ts';
import { useResetOnReturn, webAddress } from '../checkout.ts';
import { rememberPurchase } from '../plans/purchase-intent.ts';
import { paymentMethodsQuery } from '../queries.ts';
import { useChangedCard } from '../use-changed-card.ts';

export type ChangeCardProps = {
  userId: string;
  size?: ButtonProps['size'];
  /** The plan whose dialog the user comes back to. Undefined: the Billing tab. */
  planId?: string | undefined;
};

/** Opens the payment provider's page for changing the card of plans and rentals. That page leads back here. */
export function ChangeCard({ userId, size, planId }: ChangeCardProps) {
  const toast = useToast();
  const { data } = useQuery(paymentMethodsQuery(userId));
  useChangedCard(userId);
  const open = useMutation({
    mutationFn: () => billingApi.changeCard({ body: { planId } }),
    onSuccess: ({ portalUrl }) => {
      if (data) rememberCards(data.paymentMethods.map(({ method }) => method));
      if (planId !== undefined) rememberPurchase(planId);
      window.location.assign(webAddress(portalUrl));
    },
    onError: (error) => toast.error(failureLine('The card cannot be changed now', error)),
  });
  useResetOnReturn(open.reset);
  // after success the page is left
  const isLeaving = open.isPending || open.isSuccess;
  return (
    <Button size={size} loading={isLeaving} onClick={() => !isLeaving && open.mutate()}>
      Change card
    </Button>
  );
}
