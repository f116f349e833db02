import { totalsText } from '@souk/contract/billing/totals.ts';
import { formatCount, formatDay, formatMoney, formatMonthly } from '#ui/text/amount.ts';
import { paymentMethodText } from '../payment-method-text.ts';
import type { planCreditsLeft } from '../plan-credits-left.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import type { PlanChange } from './use-plan-change.ts';

export type ChangeFactsProps = {
  /** The user keeps their current plan: a change planned for the next period is undone. */
  isKept: boolean;
  change: PlanChange;
  from: OwnSubscription;
  to: string;
  left: ReturnType<typeof planCreditsLeft>;
  lost: readonly string[];
};

export function ChangeFacts({ isKept, change, from, to, left, lost }: ChangeFactsProps) {
  const { kind, amountDue, nextAmount, creditsNow, nextCredits, currency, at, paymentMethod } = change;
  const chargedTo = paymentMethod ? [{ name: 'Charged to', value: paymentMethodText(paymentMethod) }] : [];
  const due = withTax(amountDue, change.taxDue, currency);
  const dueNow = { name: 'Due now', value: due };
  const adjustments = `${change.lessDiscount ? ' less your discount' : ''}${change.plusTax ? ' plus tax' : ''}`;
  const monthly = `${formatMonthly(nextAmount, currency)}${adjustments}`;
  const each = (name: string) => (nextCredits > 0 ? [{ name, value: formatCount(nextCredits) }] : []);
  // an upgrade that is paid by direct debit begins with the next period
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

/** "$19 + $3.61 tax = $22.61" */
const withTax = (amount: number, tax: number | undefined, currency: string): string =>
  tax === undefined
    ? formatMoney(amount, currency)
    : totalsText({ subtotal: amount - tax, discount: 0, tax }, currency);
