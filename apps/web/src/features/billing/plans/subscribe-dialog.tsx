import type { Plan } from '@souk/contract/billing/billing.ts';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { config } from '#web/config.ts';
import { useFrozen } from '#ui/overlay/use-frozen.ts';
import { MonthlyPrice } from '../monthly-price.tsx';
import { IncludedRentalsChoice } from '../overlap/included-rentals-choice.tsx';
import { choicesOf, useEndingRentals } from '../overlap/use-ending-rentals.ts';
import { TrialsInPlan } from '../overlap/trials-in-plan.tsx';
import { RenewalTerms } from '../renewal-terms.tsx';
import { ReplacesUnpaid } from '../replaces-unpaid.tsx';
import { PlanContents } from './plan-card.tsx';

export type SubscribeDialogProps = {
  userId: string;
  plan: Plan | undefined;
  busy: boolean;
  failure: string | undefined;
  onClose: () => void;
  /**
   * @param chosen.endRentals servers whose rental ends with its period, once the plan is paid
   * @param chosen.shownRentals all servers whose overlap with the plan was shown
   */
  onSubscribe: (plan: Plan, chosen: { endRentals: string[]; shownRentals: string[] }) => void;
};

/**
 * Shows, before the payment page, what a plan costs and includes and that it renews, and asks which included rentals
 * should end.
 */
export function SubscribeDialog({ userId, plan, busy, failure, onClose, onSubscribe }: SubscribeDialogProps) {
  const shown = useFrozen(plan, plan === undefined);
  const choice = useEndingRentals(userId, shown?.tier);
  return (
    <ConfirmDialog
      open={plan !== undefined}
      onOpenChange={onClose}
      title={`Subscribe to ${shown?.name ?? ''}?`}
      confirmLabel="Continue to payment"
      cancelLabel="Not now"
      startsAtCancel
      variant="primary"
      busy={busy}
      error={failure}
      onConfirm={() => plan && !busy && onSubscribe(plan, choicesOf(choice))}
    >
      <div className="flex flex-col gap-4">
        {shown && (
          <div className="text-text">
            <MonthlyPrice {...shown} />
            <h3 className="mt-4 mb-2 font-medium">What you get</h3>
            <PlanContents plan={shown} />
          </div>
        )}
        <ReplacesUnpaid userId={userId} />
        {shown && <TrialsInPlan userId={userId} plan={shown} />}
        {shown && (
          <IncludedRentalsChoice plan={{ name: shown.name, price: config.addsTax ? undefined : shown }} {...choice} />
        )}
        {shown && <RenewalTerms price={shown} keep="the plan" />}
      </div>
    </ConfirmDialog>
  );
}
