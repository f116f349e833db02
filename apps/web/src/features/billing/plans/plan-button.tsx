import type { Plan } from '@souk/contract/billing.ts';
import { formatDay } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/dialog.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { TextLink } from '#ui/text-link.tsx';
import { BuyButton } from './buy-button.tsx';
import type { ProfilePlan } from './current-plan.ts';
import type { OwnSubscription, PlanAction } from './plan-action.ts';
import { isPopular } from './plan-card.tsx';

export type PlanButtonProps = {
  plan: Plan;
  action: PlanAction;
  profile: ProfilePlan | undefined;
  /** Of the person, where it is paid. */
  paid: OwnSubscription | undefined;
  /** The name of the plan that they chose for the next period. */
  nextName: string | undefined;
  busy: boolean;
  failure: string | undefined;
  onSubscribe: () => void;
  onChange: () => void;
  onSignIn: () => void;
};

/** The button of a plan, by what the person can do with it. */
export function PlanButton({ plan, action, profile, paid, nextName, busy, failure, ...on }: PlanButtonProps) {
  const { name, amount } = plan;
  const subscribe = (
    <BuyButton
      variant={isPopular(plan) ? 'primary' : 'secondary'}
      busy={busy}
      failure={failure}
      onClick={on.onSubscribe}
    >
      Subscribe<span className="sr-only"> to {name}</span>
    </BuyButton>
  );
  switch (action) {
    case 'current':
      return (
        <>
          <Button wide disabled>
            Current plan
          </Button>
          {amount > 0 && profile?.planStatus === 'canceled' && <Ending endsAt={paid?.currentPeriodEnd ?? undefined} />}
          {paid?.status === 'past_due' && <PastDue />}
          {paid?.currentPeriodEnd && nextName !== undefined && (
            <div className="flex flex-wrap items-center justify-between gap-2 text-[0.8125rem] text-quiet">
              <span>
                Changes to {nextName} on {formatDay(paid.currentPeriodEnd)}.
              </span>
              <Button size="small" onPointerEnter={preloadDialog} onClick={on.onChange}>
                Keep {name}
              </Button>
            </div>
          )}
        </>
      );
    case 'next':
      return (
        <Button wide disabled>
          {paid?.currentPeriodEnd ? `Starts ${formatDay(paid.currentPeriodEnd)}` : 'Starts next'}
        </Button>
      );
    case 'keep-first':
      return (
        <>
          <Button wide disabled>
            Upgrade<span className="sr-only"> to {name}</span>
          </Button>
          <p className="text-[0.8125rem] text-quiet">
            You chose {nextName} for the next period. Keep {paid?.planName} first.
          </p>
        </>
      );
    case 'manage':
      return (
        <LinkButton wide to="/dashboard" search={{ tab: 'billing' }}>
          Manage plan
        </LinkButton>
      );
    case 'upgrade':
    case 'downgrade':
      return (
        <Button
          wide
          variant={action === 'upgrade' && isPopular(plan) ? 'primary' : 'secondary'}
          onPointerEnter={preloadDialog}
          onClick={on.onChange}
        >
          {action === 'upgrade' ? 'Upgrade' : 'Downgrade'}
          <span className="sr-only"> to {name}</span>
        </Button>
      );
    case 'sign-in':
      if (amount > 0) return subscribe;
      return (
        <Button wide onClick={on.onSignIn}>
          Get started<span className="sr-only"> with {name}</span>
        </Button>
      );
    case 'subscribe':
      return subscribe;
  }
}

/** Of a plan whose renewal was not paid. */
function PastDue() {
  return (
    <p className="text-[0.8125rem] text-bad">
      The last payment failed.{' '}
      <TextLink to="/dashboard" search={{ tab: 'billing' }}>
        Pay it
      </TextLink>
    </p>
  );
}

/** Of a plan that was cancelled (spec part 1, section 2). */
function Ending({ endsAt }: { endsAt: string | undefined }) {
  return (
    <p className="text-[0.8125rem] text-quiet">
      Ends at the end of the billing period{endsAt !== undefined && `, on ${formatDay(endsAt)}`}.{' '}
      <TextLink to="/dashboard" search={{ tab: 'billing' }}>
        Resume it
      </TextLink>
    </p>
  );
}
