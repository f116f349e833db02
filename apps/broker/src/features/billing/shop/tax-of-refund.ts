import type { Query } from '#platform/db/database.ts';

/**
 * Computes the tax within a refund: the same share as of the payment, and all remaining tax with the last part. In another
 * currency, the same share of the refunded amount.
 * @param of a payment of the history, the refunded amount, and the refund's key, which may be recorded already
 */
export async function taxOfRefund(
  query: Query,
  of: { paymentIntentId: string | undefined; fact: string; amount: number; currency: string },
): Promise<number> {
  if (of.paymentIntentId === undefined) return 0;
  const { rows } = await query<{
    amount: number;
    tax: number;
    currency: string;
    returned: number;
    returned_tax: number;
  }>(
    `select t.amount, t.tax, upper(t.currency) as currency, r.returned, r.returned_tax
     from transactions t cross join lateral (
       select coalesce(sum(amount), 0)::bigint as returned, coalesce(sum(tax), 0)::bigint as returned_tax from transactions
       where payment_intent_id = t.payment_intent_id and type = 'refund' and status = 'completed' and idem <> $2
         and upper(currency) = upper(t.currency)) r
     where t.payment_intent_id = $1 and t.type <> 'refund' and t.amount > 0 limit 1`,
    [of.paymentIntentId, of.fact],
  );
  const [paid] = rows;
  if (!paid || paid.tax === 0) return 0;
  if (of.currency.toUpperCase() !== paid.currency) return Math.round((of.amount * paid.tax) / paid.amount);
  const returned = Math.min(paid.amount, paid.returned + of.amount);
  const upToNow = Math.round((returned * paid.tax) / paid.amount);
  return Math.min(of.amount, Math.max(0, upToNow - paid.returned_tax));
}
