import type { Plan } from '@souk/contract/billing/billing.ts';
import type { planChangeSchema } from '@souk/contract/billing/payments.ts';
import { totalsText } from '@souk/contract/billing/totals.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { formatCount, formatDay, formatMoney, formatMonthly } from '#ui/text/amount.ts';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { useFrozen } from '#ui/overlay/use-frozen.ts';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { BeforeYouPay } from '#web/navigation/legal-links.tsx';
import { billingApi } from '../billing-api.ts';
import { useResetOnReturn, webAddress } from '../checkout.ts';
import { hasMovedOn, isPaymentFailure } from '../failure-texts.ts';
import { IncludedRentalsChoice } from '../overlap/included-rentals-choice.tsx';
import type { PlainPrice } from '../overlap/rental-choice-texts.ts';
import { TrialsInPlan } from '../overlap/trials-in-plan.tsx';
import { choicesOf, useEndingRentals } from '../overlap/use-ending-rentals.ts';
import { paymentMethodText } from '../payment-method-text.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { planCreditsLeft } from '../plan-credits-left.ts';
import { billingKey, offersQuery, subscriptionQuery } from '../queries.ts';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';
import { ChangeCard } from '../tab/change-card.tsx';
import { useNextPlanName } from './use-next-plan-name.ts';
import { useServicesLost } from './use-services-lost.ts';

type PlanChange = z.infer<typeof planChangeSchema>;

export type ChangePlanDialogProps = {
  userId: string;
  subscription: OwnSubscription;
  /** The plan to change to. Undefined: closed. */
  plan: Pick<Plan, 'planId' | 'name' | 'tier'> | undefined;
  onClose: () => void;
};

/** Says what a change of plan costs and when it happens, and makes it. */
export function ChangePlanDialog({ userId, subscription, plan, onClose }: ChangePlanDialogProps) {
  const queries = useQueryClient();
  const toast = useToast();
  const shown = useFrozen(plan, plan === undefined);
  const choice = useEndingRentals(userId, shown?.tier);
  const { data: owned } = useQuery(subscriptionQuery(userId));
  const left = owned ? planCreditsLeft(owned.credits) : [];
  const lost = useServicesLost(userId, { kept: shown?.tier, enabled: plan !== undefined });
  const pendingName = useNextPlanName(subscription.pendingPlanId);
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
      if (!hasMovedOn(error)) return;
      const offersRead = queries.invalidateQueries({ queryKey: offersQuery.queryKey });
      const ownRead = queries.invalidateQueries({ queryKey: billingKey(userId) });
      await preview.refetch();
      await offersRead;
      await ownRead;
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
  const kept = isPaymentFailure(failed) ? ` Nothing was charged, and you stay on ${subscription.planName}.` : '';
  const error = useFrozen(
    failed ? `${failureLine('Failed to change the plan', failed)}${kept}` : undefined,
    plan === undefined,
  );
  // the change that was made reads the plan anew before the dialog has gone
  const content = useFrozen(
    {
      title: `${isKept ? 'Keep' : 'Change to'} ${shown?.name ?? ''}?`,
      confirmLabel:
        due && isUpgrade && due.amountDue > 0
          ? `Pay ${formatMoney(due.amountDue, due.currency)}`
          : isKept
            ? `Keep ${shown.name}`
            : 'Change plan',
      disabled: due === undefined,
      children: due ? (
        <div className="flex flex-col gap-4">
          {pendingName !== undefined && (
            <p>Your upgrade to {pendingName}, which waits for your payment, is dropped, and you pay nothing for it.</p>
          )}
          <ChangeFacts
            isKept={isKept}
            change={due}
            from={subscription}
            to={shown?.name ?? ''}
            left={left}
            lost={lost}
          />
          {shown && isUpgrade && due.prorationDate !== null && <TrialsInPlan userId={userId} plan={shown} />}
          {shown && isUpgrade && (
            <IncludedRentalsChoice plan={{ name: shown.name, price: plainPriceOf(due, subscription) }} {...choice} />
          )}
          {!isKept && (
            <div className="text-[0.8125rem] empty:hidden">
              <BeforeYouPay newTab />
            </div>
          )}
        </div>
      ) : (
        !failed && (
          <DelayedFallback label="Loading the price…">
            <Skeleton className="h-4 w-full" />
            <Skeleton className="mt-2 h-4 w-3/5" />
          </DelayedFallback>
        )
      ),
    },
    plan === undefined || change.isPending,
  );
  return (
    <ConfirmDialog
      {...content}
      open={plan !== undefined}
      onOpenChange={() => {
        change.reset();
        onClose();
      }}
      cancelLabel="Not now"
      startsAtCancel
      variant="primary"
      busy={change.isPending}
      error={error}
      errorAction={isPaymentFailure(failed) && <ChangeCard userId={userId} size="small" planId={plan?.planId} />}
      onConfirm={() => plan && due && !change.isPending && change.mutate(due)}
    />
  );
}

type ChangeFactsProps = {
  /** The plan that they have stays: a change for the next period is taken back. */
  isKept: boolean;
  change: PlanChange;
  from: OwnSubscription;
  to: string;
  /** Credits of the plan that they leave. */
  left: ReturnType<typeof planCreditsLeft>;
  /** Services that the new plan does not include. */
  lost: readonly string[];
};

function ChangeFacts({ isKept, change, from, to, left, lost }: ChangeFactsProps) {
  const { kind, amountDue, nextAmount, creditsNow, nextCredits, currency, at, paymentMethod } = change;
  const chargedTo = paymentMethod ? [{ name: 'Charged to', value: paymentMethodText(paymentMethod) }] : [];
  const due = withTax(amountDue, change.taxDue, currency);
  const dueNow = { name: 'Due now', value: due };
  const besides = `${change.lessDiscount ? ' less your discount' : ''}${change.plusTax ? ' plus tax' : ''}`;
  const monthly = `${formatMonthly(nextAmount, currency)}${besides}`;
  const each = (name: string) => (nextCredits > 0 ? [{ name, value: formatCount(nextCredits) }] : []);
  // one that is paid by a debit begins with the next period
  const isNow = kind === 'upgrade' && change.prorationDate !== null;
  const facts = isKept
    ? [dueNow, { name: 'From the next period, as before', value: monthly }]
    : isNow
      ? [
          { name: `${to} starts`, value: 'Now' },
          { name: 'Due now, for the rest of this period', value: due },
          ...chargedTo,
          ...(creditsNow > 0
            ? [{ name: 'Credits added now, for the rest of this period', value: formatCount(creditsNow) }]
            : []),
          { name: 'From the next period', value: monthly },
          ...each('Credits each month, from the next period'),
        ]
      : [
          { name: `${from.planName} stays until`, value: formatDay(at) },
          dueNow,
          { name: `${to} from then on`, value: monthly },
          ...each('Credits each month, from then on'),
          ...left.map(({ credits, day }) => ({
            name: `Credits left from ${from.planName}, which expire on ${day}`,
            value: formatCount(credits),
          })),
          ...(lost.length > 0 ? [{ name: 'Services that you lose then', value: lost.join(', ') }] : []),
          ...chargedTo,
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

/** The plan costs this each month from the next period on; undefined where a tax or a discount makes it another amount. */
function plainPriceOf(change: PlanChange, { charge }: OwnSubscription): PlainPrice | undefined {
  if (change.plusTax || change.lessDiscount || charge?.totals) return undefined;
  return { amount: change.nextAmount, currency: change.currency };
}

/** "$19 + $3.61 tax = $22.61" */
const withTax = (amount: number, tax: number | undefined, currency: string): string =>
  tax === undefined
    ? formatMoney(amount, currency)
    : totalsText({ subtotal: amount - tax, discount: 0, tax }, currency);
