import { useMutation } from '@tanstack/react-query';
import { Button } from '#ui/button.tsx';
import { useToast } from '#ui/use-toast.ts';
import { failureLine } from '#web/failure-text.ts';
import { billingApi } from '../billing-api.ts';

/** Leads to the payment provider's page where another card is chosen for plans and rentals. It leads back here. */
export function ChangeCard() {
  const toast = useToast();
  const open = useMutation({
    mutationFn: () => billingApi.changeCard(),
    onSuccess: ({ portalUrl }) => window.location.assign(portalUrl),
    onError: (error) => toast.error(failureLine('The card cannot be changed now', error)),
  });
  // the page is left when it has succeeded
  const isLeaving = open.isPending || open.isSuccess;
  return (
    <Button loading={isLeaving} onClick={() => !isLeaving && open.mutate()}>
      Change card
    </Button>
  );
}
