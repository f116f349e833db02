import type { Plan } from '@souk/contract/billing/billing.ts';
import { tiers } from '@souk/contract/tiers.ts';
import type { ReactNode } from 'react';
import { formatDay, formatMoment, formatMonthly } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { UpgradeOverlap } from '../overlap/upgrade-overlap.tsx';
import { PayNow } from '../tab/past-due.tsx';
import { BuyButton } from './buy-button.tsx';
import type { OwnSubscription, PlanAction, ProfilePlan } from './plan-action.ts';

export type PlanButtonProps = {
  userId: string | undefined;
  plan: Plan;
  action: PlanAction;
  profile: ProfilePlan | undefined;
  paid: OwnSubscription | undefined;
  nextName: string | undefined;
  busy: boolean;
  failure: string | undefined;
  onSubscribe: () => void;
  onChange: () => void;
  onSignIn: () => void;
};

export function PlanButton(props: PlanButtonProps) {
  const { userId, plan, action, paid, nextName, busy, failure, onChange } = props;
  const { name, amount } = plan;
  const subscribe = (
    <BuyButton
      variant={plan.popular ? 'primary' : 'secondary'}
      busy={busy}
      failure={failure}
      onClick={props.onSubscribe}
    >
      Subscribe<span className="sr-only"> to {name}</span>
    </BuyButton>
  );
  switch (action) {
    case 'current':
      return <CurrentPlan {...props} />;
    case 'next':
      return <Off>{paid?.currentPeriodEnd ? `Starts ${formatDay(paid.currentPeriodEnd)}` : 'Starts next'}</Off>;
    case 'pay-first':
      return (
        <>
          <Off>Awaiting payment</Off>
          {userId !== undefined && paid && (
            <div className="text-[0.8125rem] text-quiet">
              {paid.pendingUntil !== null && `Confirm and pay it by ${formatMoment(paid.pendingUntil)}. `}
              If you do nothing, you stay on {paid.planName} and pay nothing for the upgrade.
              <UpgradeOverlap userId={userId} from={paid} to={plan} />
              <PayNow userId={userId} id={paid.id} name={`the upgrade to ${name}`} />
            </div>
          )}
        </>
      );
    case 'keep-first':
      return (
        <>
          <Off>
            Upgrade<span className="sr-only"> to {name}</span>
          </Off>
          <p className="text-[0.8125rem] text-quiet">
            You chose {nextName} for the next period. Keep {paid?.planName} first.
          </p>
        </>
      );
    case 'resume-first':
      return (
        <>
          <Off>
            Subscribe<span className="sr-only"> to {name}</span>
          </Off>
          <p className="text-[0.8125rem] text-quiet">
            <TextLink to="/dashboard" search={{ tab: 'billing' }}>
              Resume {paid?.planName}
            </TextLink>
            {paid && resumedChange(plan, paid, nextName)}
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
          variant={action === 'upgrade' && plan.popular ? 'primary' : 'secondary'}
          onPointerEnter={preloadDialog}
          onClick={onChange}
        >
          {action === 'upgrade' ? 'Upgrade' : 'Downgrade'}
          <span className="sr-only"> to {name}</span>
        </Button>
      );
    case 'sign-in':
      if (amount > 0) return subscribe;
      return (
        <Button wide onClick={props.onSignIn}>
          Get started<span className="sr-only"> with {name}</span>
        </Button>
      );
    case 'subscribe':
      return subscribe;
  }
}

const Off = ({ children }: { children: ReactNode }) => (
  <Button wide disabled>
    {children}
  </Button>
);

function CurrentPlan({ plan: { name, amount }, profile, paid, nextName, onChange }: PlanButtonProps) {
  return (
    <>
      <Off>Current plan</Off>
      {amount > 0 && profile?.planStatus === 'canceled' && <Ending endsAt={paid?.currentPeriodEnd ?? undefined} />}
      {paid && <OwnPrice paid={paid} amount={amount} />}
      {paid?.status === 'past_due' && <PastDue />}
      {/* the broker refuses to change a plan whose last payment failed */}
      {paid?.currentPeriodEnd && paid.status === 'active' && nextName !== undefined && (
        <div className="flex flex-wrap items-center justify-between gap-2 text-[0.8125rem] text-quiet">
          <span>
            Changes to {nextName} on {formatDay(paid.currentPeriodEnd)}.
          </span>
          <Button size="small" onPointerEnter={preloadDialog} onClick={onChange}>
            Keep {name}
          </Button>
        </div>
      )}
    </>
  );
}

/** Says how the user can get this plan: after resuming their own, or after that has ended. */
function resumedChange({ planId, name, tier }: Plan, paid: OwnSubscription, nextName: string | undefined): string {
  const day = paid.currentPeriodEnd === null ? undefined : formatDay(paid.currentPeriodEnd);
  if (planId === paid.nextPlanId)
    return day === undefined
      ? ` to change to ${name}, as you chose.`
      : ` to change to ${name} on ${day}, as you chose, or subscribe after that day.`;
  const otherwise = day === undefined ? '.' : `, or subscribe after ${day}.`;
  if (tiers[tier].level <= tiers[paid.tier].level) return ` to plan a change to ${name}${otherwise}`;
  // resuming restores a planned change, which must be undone first
  return nextName === undefined
    ? ` to change to ${name} now${otherwise}`
    : ` and keep it instead of ${nextName} to change to ${name} now${otherwise}`;
}

/** The user's own price, if they subscribed at another price and keep it until they are moved to the new one. */
function OwnPrice({ paid: { renewal, priceChange, nextPlanId }, amount }: { paid: OwnSubscription; amount: number }) {
  if (!renewal || nextPlanId !== null) return null;
  const pays = priceChange?.from ?? renewal;
  if (pays.amount === amount) return null;
  return (
    <p className="text-[0.8125rem] text-quiet">
      You pay {formatMonthly(pays.amount, pays.currency)}
      {priceChange &&
        `, from ${formatDay(priceChange.at)} ${formatMonthly(priceChange.to.amount, priceChange.to.currency)}`}
      .
    </p>
  );
}

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

/** Spec part 1, section 2. */
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
