import type { Plan } from '@souk/contract/billing.ts';
import Check from 'lucide-react/icons/check';
import type { ReactNode } from 'react';
import { formatCount, formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { Card } from '#ui/card.tsx';
import { classNames } from '#ui/class-names.ts';
import { TierBadge } from '#ui/tier-badge.tsx';

export type PlanCardProps = {
  plan: Plan;
  /** The button, and what there is to say about it. */
  action: ReactNode;
};

/** The plan that most people choose (spec part 1, section 2). */
export const isPopular = ({ planId }: Plan): boolean => planId === 'pro';

/** One plan: what it costs, what one gets, the button. */
export function PlanCard({ plan, action }: PlanCardProps) {
  const credits = plan.monthlyCredits;
  const bullets = [...(credits > 0 ? [`${formatCount(credits)} credits each month`] : []), ...plan.features];
  return (
    <Card
      as="article"
      padding="large"
      aria-label={`${plan.name} plan`}
      className={classNames('flex h-full flex-col', isPopular(plan) && 'border-ink!')}
    >
      <div className="flex min-h-5.5 flex-wrap items-center justify-between gap-2">
        <h3 className="text-base font-semibold">{plan.name}</h3>
        {isPopular(plan) && <Badge tone="accent">Most Popular</Badge>}
      </div>
      <p className="mt-3 flex items-baseline gap-1.5">
        <span className="text-3xl/9 font-semibold tracking-tight tabular-nums">
          {formatPrice(plan.amount, plan.currency)}
        </span>{' '}
        <span className="text-quiet">
          {plan.currency.toUpperCase()}/{plan.period}
        </span>
      </p>
      <p className="mt-2 text-quiet lg:min-h-15">{plan.description}</p>
      <div className="mt-5 flex flex-col gap-2">{action}</div>
      <div className="mt-5 flex items-center gap-2 border-t border-line pt-4 text-[0.8125rem] text-quiet">
        <TierBadge tier={plan.tier} />
        {plan.tier === 'T0' ? 'services' : 'and below'}
      </div>
      <Bullets texts={bullets} />
    </Card>
  );
}

/** What one gets, line by line. */
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
