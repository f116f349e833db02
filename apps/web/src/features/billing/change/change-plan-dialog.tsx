import { useQuery } from '@tanstack/react-query';
import { formatMoney } from '#ui/text/amount.ts';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { useFrozen } from '#ui/overlay/use-frozen.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { BeforeYouPay } from '#web/navigation/legal-links.tsx';
import { isPaymentFailure } from '../failure-texts.ts';
import { IncludedRentalsChoice } from '../overlap/included-rentals-choice.tsx';
import type { PlainPrice } from '../overlap/rental-choice-texts.ts';
import { TrialsInPlan } from '../overlap/trials-in-plan.tsx';
import { useEndingRentals, type EndingRentals } from '../overlap/use-ending-rentals.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { planCreditsLeft } from '../plan-credits-left.ts';
import { subscriptionQuery } from '../queries.ts';
import { ChangeCard } from '../tab/change-card.tsx';
import { ChangeFacts, type ChangeFactsProps } from './change-facts.tsx';
import { useNextPlanName } from './use-next-plan-name.ts';
import { usePlanChange, type ChangePlanDialogProps, type PlanChange } from './use-plan-change.ts';
import { useServicesLost } from './use-services-lost.ts';

export function ChangePlanDialog(props: ChangePlanDialogProps) {
  const { userId, subscription, plan, onClose } = props;
  const shown = useFrozen(plan, plan === undefined);
  const choice = useEndingRentals(userId, shown?.tier);
  const { data: owned } = useQuery(subscriptionQuery(userId));
  const left = owned ? planCreditsLeft(owned.credits) : [];
  const lost = useServicesLost(userId, { kept: shown?.tier, enabled: plan !== undefined });
  const pendingName = useNextPlanName(subscription.pendingPlanId);
  const { preview, change } = usePlanChange(props, choice, shown?.name);
  const due = preview.data?.change;
  const failed = change.isError ? change.error : preview.error;
  const isKept = subscription.nextPlanId !== null && shown?.planId === subscription.mcpId;
  const kept = isPaymentFailure(failed) ? ` Nothing was charged, and you stay on ${subscription.planName}.` : '';
  const error = useFrozen(
    failed ? `${failureLine('Failed to change the plan', failed)}${kept}` : undefined,
    plan === undefined,
  );
  const mustPay = due?.kind === 'upgrade' && due.amountDue > 0;
  // after the change, the plan is refetched before the dialog closes
  const content = useFrozen(
    {
      title: `${isKept ? 'Keep' : 'Change to'} ${shown?.name ?? ''}?`,
      confirmLabel: mustPay
        ? `Pay ${formatMoney(due.amountDue, due.currency)}`
        : isKept
          ? `Keep ${shown.name}`
          : 'Change plan',
      disabled: due === undefined,
      children:
        due && shown ? (
          <Content
            userId={userId}
            plan={shown}
            facts={{ isKept, change: due, from: subscription, to: shown.name, left, lost }}
            pendingName={pendingName}
            choice={choice}
          />
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
      onConfirm={() => plan && due && change.mutate(due)}
    />
  );
}

type ContentProps = {
  userId: string;
  plan: NonNullable<ChangePlanDialogProps['plan']>;
  facts: ChangeFactsProps;
  /** Name of the plan of an unpaid upgrade. */
  pendingName: string | undefined;
  choice: EndingRentals;
};

function Content({ userId, plan, facts, pendingName, choice }: ContentProps) {
  const { change, from, isKept } = facts;
  const isUpgrade = change.kind === 'upgrade';
  return (
    <div className="flex flex-col gap-4">
      {pendingName !== undefined && (
        <p>Your unpaid upgrade to {pendingName} is canceled, and you pay nothing for it.</p>
      )}
      <ChangeFacts {...facts} />
      {isUpgrade && change.prorationDate !== null && <TrialsInPlan userId={userId} plan={plan} />}
      {isUpgrade && <IncludedRentalsChoice plan={{ name: plan.name, price: plainPriceOf(change, from) }} {...choice} />}
      {!isKept && (
        <div className="text-[0.8125rem] empty:hidden">
          <BeforeYouPay newTab />
        </div>
      )}
    </div>
  );
}

/** The monthly price from the next period on; undefined if a tax or a discount changes the amount. */
function plainPriceOf(change: PlanChange, { charge }: OwnSubscription): PlainPrice | undefined {
  if (change.plusTax || change.lessDiscount || charge?.totals) return undefined;
  return { amount: change.nextAmount, currency: change.currency };
}
