import type { PriceRiseAnswer } from '@souk/contract/billing/price-rises.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { billingApi } from '../billing-api.ts';
import { billingKey } from '../queries.ts';

/** Approves prices as they are shown, then refetches them, even if one has changed meanwhile. */
export function useApproval(userId: string, onApproved: () => void) {
  const queries = useQueryClient();
  const toast = useToast();
  const approval = useMutation({
    mutationFn: (rises: readonly PriceRiseAnswer[]) =>
      billingApi.approvePriceRises({
        body: { prices: rises.map(({ serverId, tool, newCredits }) => ({ serverId, tool, credits: newCredits })) },
      }),
    async onSettled() {
      await queries.invalidateQueries({ queryKey: [...billingKey(userId), 'price-rises'] });
    },
    onSuccess(_answer, rises) {
      const what = rises.length === 1 ? `The price of ${rises[0]?.toolName} is` : `${rises.length} prices are`;
      toast.success(`${what} approved. Calls work again.`);
      onApproved();
    },
  });
  return {
    approve: (rises: readonly PriceRiseAnswer[]) => {
      if (!approval.isPending) approval.mutate(rises);
    },
    isApproving: (rises: readonly PriceRiseAnswer[]) =>
      approval.isPending && approval.variables.length === rises.length && approval.variables[0] === rises[0],
    failure: approval.isError ? failureLine('Failed to approve', approval.error) : undefined,
  };
}
