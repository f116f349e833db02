import type { Down, McpService } from '@souk/contract/billing/billing.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, type ButtonProps } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { accountKey } from '#web/loading/account-key.ts';
import { downText } from '#web/texts/down-text.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { billingApi } from '../billing-api.ts';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';
import { afterTrialText } from './after-trial-text.ts';

export type TrialButtonProps = {
  userId: string;
  service: { id: string; name: string; down: Down | null; billing: McpService['billing'] };
  days: number;
  size?: ButtonProps['size'];
};

/** Asks, then starts the trial of a service: without a card, once per e-mail address and service. */
export function TrialButton({ userId, service, days, size }: TrialButtonProps) {
  const { id, name, down } = service;
  const queries = useQueryClient();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const start = useMutation({
    mutationFn: () => billingApi.startTrial({ body: { mcpId: id } }),
    onSuccess: async ({ message }) => {
      await announceSubscriptionUpdate(queries, userId);
      toast.success(message);
    },
    onError: async (error) => {
      toast.error(failureLine('Failed to start the trial', error));
      // they may own the service already
      await queries.invalidateQueries({ queryKey: accountKey(userId) });
    },
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <Button size={size} loading={start.isPending} onPointerEnter={preloadDialog} onClick={() => setAsking(true)}>
        Start {days}-day trial<span className="sr-only"> of {name}</span>
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={down ? `Start the trial of ${name} now?` : `Start the trial of ${name}?`}
        confirmLabel={down ? 'Start it anyway' : 'Start trial'}
        cancelLabel="Not now"
        variant="primary"
        busy={start.isPending}
        onConfirm={() => !start.isPending && start.mutate()}
      >
        {down && (
          <>
            <p className="wrap-anywhere text-bad">{downText(down)}</p>
            <p className="mt-2 mb-5">
              Its calls fail until it is back. You can start this trial only once, and its {days} days begin now.
            </p>
          </>
        )}
        <p>
          No card is needed, and nothing is charged. {afterTrialText(service, days, Date.now())}{' '}
          {!down && 'You can start it only once.'}
        </p>
      </ConfirmDialog>
    </>
  );
}
