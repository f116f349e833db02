import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import type { Query } from '#platform/db/database.ts';

export type Renewal = Pick<SubscriptionAnswer['subscription']['subscriptions'][number], 'renewal' | 'priceChange'>;

type Row = {
  id: string;
  amount: number;
  currency: string;
  monthly_credits: number;
  to_amount: number | null;
  to_credits: number | null;
  from_amount: number | null;
  from_credits: number | null;
  applies_at: Date | null;
};

/** What the renewals of a person's plans cost, or would if they resumed them, and what changes with one that is yet to come. */
export async function readRenewals(
  query: Query,
  { userId, livemode, nowMs }: { userId: string; livemode: boolean; nowMs: number },
): Promise<(id: string) => Renewal> {
  const { rows } = await query<Row>(
    `select s.id, s.price_amount as amount, s.price_currency as currency, p.monthly_credits, m.*
     from subscriptions s join plan_prices p using (price_id) left join lateral (
       select m.amount as to_amount, m.monthly_credits as to_credits, i.from_amount, i.from_credits, i.applies_at
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

function present(row: Row): Renewal {
  const { amount, currency, monthly_credits: monthlyCredits } = row;
  const renewal = { amount, currency, monthlyCredits };
  if (row.applies_at === null || row.to_amount === null || row.to_credits === null)
    return { renewal, priceChange: null };
  return {
    renewal,
    priceChange: {
      from: { amount: row.from_amount ?? amount, currency, monthlyCredits: row.from_credits ?? monthlyCredits },
      to: { amount: row.to_amount, currency, monthlyCredits: row.to_credits },
      at: row.applies_at.toISOString(),
    },
  };
}
