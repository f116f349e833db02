import type { CreditPackage } from '@souk/contract/billing/billing.ts';
import type { ReactNode } from 'react';
import { formatCount, formatMoney } from '#ui/text/amount.ts';
import { Badge } from '#ui/state/badge.tsx';
import { Card } from '#ui/card.tsx';
import { classNames } from '#ui/class-names.ts';
import { Bullets } from './plan-card.tsx';

/** A credit package with the specification's bullets (part 1, section 2). */
export function PackageCard({ offer, action }: { offer: CreditPackage; action: ReactNode }) {
  const { name, credits, bonus, price, currency, popular } = offer;
  const all = credits + bonus;
  const bullets = [
    `${formatCount(credits)} credits included`,
    ...(bonus > 0 ? [`${formatCount(bonus)} bonus credits`] : []),
    'Use credits for MCP services',
    'Credits never expire',
  ];
  return (
    <Card
      as="article"
      padding="large"
      aria-label={`${name} package`}
      className={classNames('flex h-full flex-col', popular && 'border-ink!')}
    >
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="flex flex-wrap items-center gap-2 text-base font-semibold">
          {name} {popular && <Badge tone="accent">Most Popular</Badge>}
        </h3>
        <span className="text-[0.8125rem] text-quiet tabular-nums">
          {formatMoney((price / all) * 100, currency)} per 100
        </span>
      </div>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-1.5">
        <span className="text-2xl/8 font-semibold tracking-tight tabular-nums">{formatCount(all)} credits</span>{' '}
        <span className="text-quiet tabular-nums">for {formatMoney(price, currency)}</span>
      </p>
      <div className="mt-4 flex flex-col gap-2">{action}</div>
      <div className="mt-5 border-t border-line pt-1">
        <Bullets texts={bullets} />
      </div>
    </Card>
  );
}
