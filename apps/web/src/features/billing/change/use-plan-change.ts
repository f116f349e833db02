import type { Plan } from '@souk/contract/billing/billing.ts';
import type { planChangeSchema } from '@souk/contract/billing/payments.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { formatDay } from '#ui/text/amount.ts';
import { useToast } from '#ui/overlay/use-toast.ts';
import { billingApi } from '../billing-api.ts';
import { useResetOnReturn, webAddress } from '../checkout.ts';
import { isStale } from '../failure-texts.ts';
import { choicesOf, type EndingRentals } from '../overlap/use-ending-rentals.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { billingKey, offersQuery } from '../queries.ts';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';

export type PlanChange = z.infer<typeof planChangeSchema>;

export type ChangePlanDialogProps = {
  userId: string;
  subscription: OwnSubscription;
  plan: Pick<Plan, 'planId' | 'name' | 'tier'> | undefined;
  onClose: () => void;
};

/**
 * Fetches what a change to the plan costs now, and offers a function that makes the change.
 * @param name the plan's name, for the message
 */
export function usePlanChange(
  { userId, subscription, plan, onClose }: ChangePlanDialogProps,
  choice: EndingRentals,
  name: string | undefined,
) {
  const queries = useQueryClient();
  const toast = useToast();
  const params = { id: subscription.id };
  const preview = useQuery({
    // not under the key of the user's own data, or the change would refetch its own preview
    queryKey: ['plan-change', subscription.id, plan?.planId],
    queryFn: () => billingApi.changeSubscription({ params, body: { planId: plan?.planId ?? '', preview: true } }),
    enabled: plan !== undefined,
    // the amount changes daily, and the user pays exactly what they see
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const change = useMutation({
    mutationFn: ({ planId, kind, prorationDate, amountDue, nextAmount }: PlanChange) =>
      billingApi.changeSubscription({
        params,
        body: {
          planId,
          preview: false,
          shown: { amountDue, nextAmount },
          ...(kind === 'upgrade' && choicesOf(choice)),
          ...(prorationDate !== null && { prorationDate }),
        },
      }),
    async onError(error) {
      if (!isStale(error)) return;
      const offers = queries.invalidateQueries({ queryKey: offersQuery.queryKey });
      const owned = queries.invalidateQueries({ queryKey: billingKey(userId) });
      await preview.refetch();
      await offers;
      await owned;
    },
    onSuccess: async ({ message, change: made, paymentUrl }) => {
      if (paymentUrl !== null) {
        window.location.assign(webAddress(paymentUrl));
        // pending until the page is left
        return new Promise<never>(() => {});
      }
      await announceSubscriptionUpdate(queries, userId);
      onClose();
      toast.success(made.kind === 'downgrade' ? `The ${name} plan begins on ${formatDay(made.at)}.` : message);
    },
  });
  useResetOnReturn(change.reset);
  return { preview, change };
}
