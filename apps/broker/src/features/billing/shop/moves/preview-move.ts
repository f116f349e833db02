import { monthlyText, moneyText } from '@souk/contract/billing/currencies.ts';
import { noticeDays, type MovePreview } from '@souk/contract/admin/offers.ts';
import type { Query } from '#platform/db/database.ts';
import { renewalGraceMs } from '../../entitlement/owned.ts';
import { count, counted } from '../offers/offer-words.ts';

export type MoveTarget = { planId: string; name: string; amount: number; currency: string; monthlyCredits: number };

/**
 * Subscribers of a plan, each `movable` or with the reason why not. A higher price applies from a renewal that is at least the
 * notice period away, so that subscribers see it in time.
 * $1 livemode, $2 plan, $3 amount, $4 currency, $5 monthly credits, $6 now, $7 notice in days, $8 grace in ms
 */
export const candidates = `(
  select s.payment_id, s.price_amount as amount, s.price_currency as currency, p.monthly_credits, s.period_ends_at,
    case when s.price_amount < $3 and s.period_ends_at < $6::timestamptz + make_interval(days => $7) then 1 else 0 end as periods,
    case
      when s.cancelled_at is not null then 'ending'
      when s.past_due and s.period_ends_at + make_interval(secs => $8 / 1000.0) < $6 then 'unpaid'
      when s.pending_until > $6 then 'changing'
      when (s.price_amount, s.price_currency, p.monthly_credits) is not distinct from ($3, $4, $5) then 'current'
      else 'movable' end as state
  from subscriptions s left join plan_prices p using (price_id)
  where s.livemode = $1 and s.ended_at is null and s.source = 'payment' and s.period_ends_at is not null
    and coalesce(s.next_plan_id, s.plan_id) = $2) as candidates`;

export const candidateValues = (
  livemode: boolean,
  { planId, amount, currency, monthlyCredits }: MoveTarget,
  nowMs: number,
): unknown[] => [livemode, planId, amount, currency, monthlyCredits, new Date(nowMs), noticeDays, renewalGraceMs];

/** When a subscriber pays the new price: with the next renewal, or the one after. */
export const appliesAt = `period_ends_at + make_interval(months => periods)`;

type Row = {
  state: 'ending' | 'unpaid' | 'changing' | 'current' | 'movable';
  amount: number | null;
  currency: string | null;
  monthly_credits: number | null;
  subscribers: number;
  later: number;
  first_at: Date | null;
  last_at: Date | null;
};

export async function previewMove(
  query: Query,
  livemode: boolean,
  target: MoveTarget,
  nowMs: number,
): Promise<MovePreview> {
  const { rows } = await query<Row>(
    `select state, amount, currency, monthly_credits, count(*)::int as subscribers, coalesce(sum(periods), 0)::int as later,
       min(${appliesAt}) as first_at, max(${appliesAt}) as last_at
     from ${candidates} group by 1, 2, 3, 4 order by subscribers desc, amount`,
    candidateValues(livemode, target, nowMs),
  );
  const movable = rows.filter(({ state }) => state === 'movable');
  const total = (of: readonly Row[]) => of.reduce((sum, { subscribers }) => sum + subscribers, 0);
  const times = (name: 'first_at' | 'last_at') => movable.flatMap((row) => row[name]?.getTime() ?? []);
  const totalOf = (state: Row['state']) => total(rows.filter((row) => row.state === state));
  const { amount, currency, monthlyCredits } = target;
  const preview: Omit<MovePreview, 'effects'> = {
    to: { amount, currency, monthlyCredits },
    groups: movable.map((row) => ({
      amount: row.amount,
      currency: row.currency,
      monthlyCredits: row.monthly_credits,
      subscribers: row.subscribers,
    })),
    movable: total(movable),
    later: movable.reduce((sum, { later }) => sum + later, 0),
    firstAt: movable.length > 0 ? new Date(Math.min(...times('first_at'))).toISOString() : null,
    lastAt: movable.length > 0 ? new Date(Math.max(...times('last_at'))).toISOString() : null,
    notMoved: { ending: totalOf('ending'), unpaid: totalOf('unpaid'), changing: totalOf('changing') },
  };
  return { ...preview, effects: effectsOf(preview, target) };
}

function effectsOf(preview: Omit<MovePreview, 'effects'>, { amount, currency, monthlyCredits }: MoveTarget): string[] {
  const { groups, movable, later, notMoved } = preview;
  if (movable === 0) return ['No subscribers would be moved.'];
  const texts = groups.map((group) => {
    const isOther = group.monthlyCredits !== null && group.monthlyCredits !== monthlyCredits;
    const credits = isOther
      ? ` They get ${counted(monthlyCredits, 'credit')} a month instead of ${count(group.monthlyCredits ?? 0)}.`
      : '';
    const pay = group.subscribers === 1 ? 'pays' : 'pay';
    const from = group.amount === null ? '' : `, not ${moneyText(group.amount, group.currency ?? currency)}`;
    const price =
      group.amount === amount && group.currency === currency
        ? `${pay} ${monthlyText(amount, currency)} as before`
        : `${pay} ${monthlyText(amount, currency)}${from}`;
    return `${counted(group.subscribers, 'subscriber')} ${price}.${credits}`;
  });
  texts.push('Each changes with a renewal. Nothing is charged or credited in between.');
  if (later > 0)
    texts.push(
      `${count(later)} of them renew within ${noticeDays} days: they pay the old price once more, so that they see the new one in time.`,
    );
  const left = [
    ...(notMoved.ending > 0 ? [`${count(notMoved.ending)} canceled`] : []),
    ...(notMoved.unpaid > 0 ? [`${count(notMoved.unpaid)} have not paid`] : []),
    ...(notMoved.changing > 0 ? [`${count(notMoved.changing)} are changing their plan`] : []),
  ];
  if (left.length > 0) texts.push(`Not moved: ${left.join(', ')}.`);
  return texts;
}
