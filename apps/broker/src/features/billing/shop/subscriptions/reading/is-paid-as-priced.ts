import type { Query } from '#platform/db/database.ts';

/**
 * Whether the provider would credit, for the rest of a period, what was paid for it: it prorates by the current price of the
 * subscription. A move changes that price before the renewal at which it applies, and a payment may have been refunded.
 */
export async function isPaidAsPriced(query: Query, providerSubscriptionId: string, at: Date): Promise<boolean> {
  const { rows } = await query<{ is_paid: boolean }>(
    `select not exists (
       select from price_move_items i join price_moves m on m.id = i.move_id
       where i.payment_id = $1 and i.status = 'moved' and i.applies_at > $2 and i.from_amount is distinct from m.amount)
     and not exists (
       select from subscription_invoices i join transactions r on r.payment_intent_id = i.payment_intent_id
       where i.payment_id = $1 and i.covers_to > $2 and i.return_reason is null
         and r.type = 'refund' and r.status = 'completed') as is_paid`,
    [providerSubscriptionId, at],
  );
  return rows[0]?.is_paid ?? true;
}
