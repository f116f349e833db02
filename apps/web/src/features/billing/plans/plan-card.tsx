import type { Plan } from '@souk/contract/billing/billing.ts';
import { tiers, tiersUpTo, type Tier } from '@souk/contract/tiers.ts';
import Check from 'lucide-react/icons/check';
import type { ReactNode } from 'react';
import { formatCount, formatMoney } from '#ui/text/amount.ts';
import { Badge } from '#ui/state/badge.tsx';
import { Card } from '#ui/card.tsx';
import { classNames } from '#ui/class-names.ts';
import { TierBadge } from '#ui/state/tier-badge.tsx';
import { planAnchor } from '#web/texts/access-text.ts';

export type PlanCardProps = {
  plan: Plan;
  action: ReactNode;
  services: ReactNode;
};

export function PlanCard({ plan, action, services }: PlanCardProps) {
  return (
    <Card
      as="article"
      id={planAnchor(plan.planId)}
      padding="large"
      aria-label={`${plan.name} plan`}
      className={classNames('flex h-full scroll-mt-20 flex-col', plan.popular && 'border-ink!')}
    >
      <div className="flex min-h-5.5 flex-wrap items-center justify-between gap-2">
        <h3 dir="auto" className="text-base font-semibold">
          {plan.name}
        </h3>
        {plan.popular && <Badge tone="accent">Most Popular</Badge>}
      </div>
      <p className="mt-3 flex items-baseline">
        <span className="text-3xl/9 font-semibold tracking-tight tabular-nums">
          {formatMoney(plan.amount, plan.currency)}
        </span>
        <span className="text-quiet">/{plan.period}</span>
      </p>
      <p dir="auto" className="mt-2 text-quiet lg:min-h-15">
        {plan.description}
      </p>
      <div className="mt-5 flex flex-col gap-2">{action}</div>
      <div className="mt-5 border-t border-line pt-4">
        <PlanContents plan={plan} />
      </div>
      {services}
    </Card>
  );
}

/** The tiers of services, the credits of a month, and the operator's features of a plan. */
export function PlanContents({ plan: { tier, monthlyCredits, features } }: Pick<PlanCardProps, 'plan'>) {
  const credits = monthlyCredits > 0 ? [`${formatCount(monthlyCredits)} credits each month`] : [];
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 text-[0.8125rem] text-quiet">
        <TierBadge tier={tier} />
        {lowerText(tier)}
      </div>
      <Bullets texts={[...credits, ...features]} />
    </>
  );
}

/** Names the lower tiers of a plan, the nearest first: "and Basic, Free services". */
function lowerText(tier: Tier): string {
  const lower = tiersUpTo(tier).slice(0, -1).toReversed();
  return lower.length === 0 ? 'services' : `and ${lower.map((one) => tiers[one].name).join(', ')} services`;
}

export function Bullets({ texts }: { texts: readonly string[] }) {
  return (
    <ul className="mt-3 space-y-2">
      {texts.map((text) => (
        <li key={text} className="flex items-start gap-2">
          <Check aria-hidden size={15} className="mt-[3px] shrink-0 text-quiet" />
          <span className="min-w-0">{text}</span>
        </li>
      ))}
    </ul>
  );
}
