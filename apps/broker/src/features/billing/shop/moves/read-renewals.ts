import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import type { Query } from '#platform/db/database.ts';
import { readRows } from '../../read-rows.ts';

export type Renewal = Pick<SubscriptionAnswer['subscription']['subscriptions'][number], 'renewal' | 'priceChange'>;

type Row = {
  id: string;
  amount: number;
  currency: string;
  monthlyCredits: number;
  toAmount: number | undefined;
  toCredits: number | undefined;
  fromAmount: number | undefined;
  fromCredits: number | undefined;
  appliesAt: Date | undefined;
};

/** Reads what the renewals of a user's plans cost, or would if they resumed them, and the upcoming change of each price. */
export async function readRenewals(
  query: Query,
  { userId, livemode, nowMs }: { userId: string; livemode: boolean; nowMs: number },
): Promise<(id: string) => Renewal> {
  const rows = await readRows<Row>(
    query,
    `select s.id, s.price_amount as amount, s.price_currency as currency, p.monthly_credits as "monthlyCredits", m.*
     from subscriptions s join plan_prices p using (price_id) left join lateral (
       select m.amount as "toAmount", m.monthly_credits as "toCredits", i.from_amount as "fromAmount",
         i.from_credits as "fromCredits", i.applies_at as "appliesAt"
       from price_move_items i join price_moves m on m.id = i.move_id
       where i.payment_id = s.payment_id and i.status in ('queued', 'moved') and i.applies_at > $3
         and m.plan_id = coalesce(s.next_plan_id, s.plan_id)
       order by m.started_at desc limit 1) m on true
     where s.user_id = $1 and s.livemode = $2 and s.ended_at is null and s.source = 'payment' and s.price_amount is not null`,
    [userId, livemode, new Date(nowMs)],
  );
  const renewals = new Map(rows.map((row) => [row.id, present(row)]));
  return (id) => renewals.get(id) ?? { renewal: null, priceChange: null };
}

function present({ amount, currency, monthlyCredits, ...change }: Row): Renewal {
  const { toAmount, toCredits, fromAmount = amount, fromCredits = monthlyCredits, appliesAt } = change;
  const renewal = { amount, currency, monthlyCredits };
  if (!appliesAt || toAmount === undefined || toCredits === undefined) return { renewal, priceChange: null };
  return {
    renewal,
    priceChange: {
      from: { amount: fromAmount, currency, monthlyCredits: fromCredits },
      to: { amount: toAmount, currency, monthlyCredits: toCredits },
      at: appliesAt.toISOString(),
    },
  };
}
