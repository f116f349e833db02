import type { Plan } from '@souk/contract/billing.ts';
import type { planChangeSchema } from '@souk/contract/payments.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import { formatCount, formatDay, formatMoney, formatMonthly } from '#ui/amount.ts';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { DelayedFallback } from '#ui/delayed-fallback.tsx';
import { Skeleton } from '#ui/skeleton.tsx';
import { useToast } from '#ui/use-toast.ts';
import { failureLine } from '#web/failure-text.ts';
import { billingApi } from '../billing-api.ts';
import { useResetOnReturn, webAddress } from '../checkout.ts';
import { isPriceChange } from '../failure-texts.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { offersQuery } from '../queries.ts';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';

type PlanChange = z.infer<typeof planChangeSchema>;

export type ChangePlanDialogProps = {
  userId: string;
  subscription: OwnSubscription;
  /** The plan to change to. Undefined: closed. */
  plan: Pick<Plan, 'planId' | 'name'> | undefined;
  onClose: () => void;
};

/** Says what a change of plan costs and when it happens, and makes it. */
export function ChangePlanDialog({ userId, subscription, plan, onClose }: ChangePlanDialogProps) {
  const queries = useQueryClient();
  const toast = useToast();
  const [shown, setShown] = useState(plan);
  if (plan && plan !== shown) setShown(plan);
  const params = { id: subscription.id };
  const preview = useQuery({
    // not among the person's own: the change that is made would ask again for what it costs
    queryKey: ['plan-change', subscription.id, plan?.planId],
    queryFn: () => billingApi.changeSubscription({ params, body: { planId: plan?.planId ?? '', preview: true } }),
    enabled: plan !== undefined,
    // what is due changes by the day, and a person pays what they see
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const change = useMutation({
    // the amount that was shown is the one that is paid
    mutationFn: ({ planId, prorationDate, amountDue, nextAmount }: PlanChange) =>
      billingApi.changeSubscription({
        params,
        body: {
          planId,
          preview: false,
          shown: { amountDue, nextAmount },
          ...(prorationDate !== null && { prorationDate }),
        },
      }),
    async onError(error) {
      if (!isPriceChange(error)) return;
      const offersRead = queries.invalidateQueries({ queryKey: offersQuery.queryKey });
      await preview.refetch();
      await offersRead;
    },
    onSuccess: async ({ message, change: made, paymentUrl }) => {
      if (paymentUrl !== null) {
        window.location.assign(webAddress(paymentUrl));
        // under way until the page is left
        return new Promise<never>(() => {});
      }
      await announceSubscriptionUpdate(queries, userId);
      onClose();
      toast.success(made.kind === 'downgrade' ? `The ${shown?.name} plan begins on ${formatDay(made.at)}.` : message);
    },
  });
  useResetOnReturn(change.reset);
  const due = preview.data?.change;
  const failed = change.isError ? change.error : preview.error;
  const isUpgrade = due?.kind === 'upgrade';
  const isKept = subscription.nextPlanId !== null && shown?.planId === subscription.mcpId;
  return (
    <ConfirmDialog
      open={plan !== undefined}
      onOpenChange={() => {
        change.reset();
        onClose();
      }}
      title={`${isKept ? 'Keep' : 'Change to'} ${shown?.name ?? ''}?`}
      confirmLabel={
        due && isUpgrade && due.amountDue > 0
          ? `Pay ${formatMoney(due.amountDue, due.currency)}`
          : isKept
            ? `Keep ${shown.name}`
            : 'Change plan'
      }
      cancelLabel="Not now"
      variant="primary"
      busy={change.isPending}
      error={failed ? failureLine('Failed to change the plan', failed) : undefined}
      onConfirm={() => plan && due && !change.isPending && change.mutate(due)}
    >
      {due ? (
        <ChangeFacts isKept={isKept} change={due} from={subscription} to={shown?.name ?? ''} />
      ) : (
        !failed && (
          <DelayedFallback label="Loading the price…">
            <Skeleton className="h-4 w-full" />
            <Skeleton className="mt-2 h-4 w-3/5" />
          </DelayedFallback>
        )
      )}
    </ConfirmDialog>
  );
}

type ChangeFactsProps = {
  /** The plan that they have stays: a change for the next period is taken back. */
  isKept: boolean;
  change: PlanChange;
  from: OwnSubscription;
  to: string;
};

function ChangeFacts({ isKept, change, from, to }: ChangeFactsProps) {
  const { kind, amountDue, nextAmount, creditsNow, nextCredits, currency, at } = change;
  const dueNow = { name: 'Due now', value: formatMoney(amountDue, currency) };
  const each = (name: string) => (nextCredits > 0 ? [{ name, value: formatCount(nextCredits) }] : []);
  // one that is paid by a debit begins with the next period
  const isNow = kind === 'upgrade' && change.prorationDate !== null;
  const facts = isKept
    ? [dueNow, { name: 'From the next period, as before', value: formatMonthly(nextAmount, currency) }]
    : isNow
      ? [
          { name: `${to} starts`, value: 'Now' },
          { name: 'Due now, for the rest of this period', value: formatMoney(amountDue, currency) },
          ...(creditsNow > 0
            ? [{ name: 'Credits added now, for the rest of this period', value: formatCount(creditsNow) }]
            : []),
          { name: 'From the next period', value: formatMonthly(nextAmount, currency) },
          ...each('Credits each month, from the next period'),
        ]
      : [
          { name: `${from.planName} stays until`, value: formatDay(at) },
          dueNow,
          { name: `${to} from then on`, value: formatMonthly(nextAmount, currency) },
          ...each('Credits each month, from then on'),
        ];
  return (
    <dl className="divide-y divide-line rounded-md border border-line">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex items-baseline justify-between gap-4 px-3 py-2.5">
          <dt>{name}</dt>
          <dd className="shrink-0 font-medium text-text tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
