import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, type ButtonProps } from '#ui/button.tsx';
import { useToast } from '#ui/use-toast.ts';
import { failureLine } from '#web/failure-text.ts';
import { billingApi } from '../billing-api.ts';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';

export type TrialButtonProps = {
  userId: string;
  service: { id: string; name: string };
  days: number;
  size?: ButtonProps['size'];
};

/** Starts the trial of a service: at once, without a card, once for each person and service. */
export function TrialButton({ userId, service, days, size }: TrialButtonProps) {
  const queries = useQueryClient();
  const toast = useToast();
  const start = useMutation({
    mutationFn: () => billingApi.startTrial({ body: { mcpId: service.id } }),
    onSuccess: async ({ message }) => {
      await announceSubscriptionUpdate(queries, userId);
      toast.success(message);
    },
    onError: (error) => toast.error(failureLine('Failed to start the trial', error)),
  });
  return (
    <Button size={size} loading={start.isPending} onClick={() => start.mutate()}>
      Start {days}-day trial<span className="sr-only"> of {service.name}</span>
    </Button>
  );
}
