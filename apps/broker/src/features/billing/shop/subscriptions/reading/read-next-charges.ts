import type { NextCharge } from '@souk/contract/billing/billing.ts';
import type { Totals } from '@souk/contract/billing/totals.ts';
import type { Query } from '#platform/db/database.ts';
import type { OwnedPlan, OwnedServer } from '../../../entitlement/owned.ts';
import { readRenewals, type Renewal } from '../../moves/read-renewals.ts';

export type ChargeOf = (owned: OwnedPlan | OwnedServer) => NextCharge | null;

/**
 * Reads the next charge of each of a user's plans and rentals, or what it would be if they resumed it, and the upcoming price
 * changes of plans. A rental costs what its last period did, before discount and tax: its price never changes. Tax and discount
 * are those that the provider last reported for the next invoice, as long as its price is the same.
 */
export async function readNextCharges(
  query: Query,
  of: { userId: string; livemode: boolean; nowMs: number },
): Promise<{ chargeOf: ChargeOf; chargeIfResumed: ChargeOf; renewalOf: (id: string) => Renewal }> {
  const [renewalOf, { rows }, nextOf] = await Promise.all([
    readRenewals(query, of),
    query<{ id: string; amount: number; currency: string }>(
      `select g.id, i.amount, i.currency from access_grants g cross join lateral (
         select amount - tax + discount as amount, currency from subscription_invoices
         where payment_id = g.payment_id and amount is not null
         order by covers_to desc, invoice_id limit 1) i
       where g.user_id = $1 and g.livemode = $2 and g.kind = 'rental' and g.source = 'payment' and g.ended_at is null`,
      [of.userId, of.livemode],
    ),
    readNextTotals(query, of),
  ]);
  const rentals = new Map(rows.map(({ id, amount, currency }) => [id, { amount, currency }]));
  const atPeriodEnd: ChargeOf = ({ id, source, pastDue, periodEndsAtMs }) => {
    if (source !== 'payment' || pastDue || periodEndsAtMs === undefined) return null;
    const { renewal, priceChange } = renewalOf(id);
    const changes = priceChange !== null && Date.parse(priceChange.at) <= periodEndsAtMs;
    const terms = (changes ? priceChange.to : renewal) ?? rentals.get(id);
    if (!terms) return null;
    const charge = {
      amountCents: terms.amount,
      currency: terms.currency.toUpperCase(),
      at: new Date(periodEndsAtMs).toISOString(),
    };
    const totals = nextOf.get(id);
    if (!totals) return charge;
    if (totals.subtotal !== terms.amount) return { ...charge, ...(totals.tax > 0 && { plusTax: true as const }) };
    return { ...charge, amountCents: totals.subtotal - totals.discount + totals.tax, totals };
  };
  return {
    chargeOf: (owned) => (owned.isCancelled ? null : atPeriodEnd(owned)),
    chargeIfResumed: (owned) => (owned.isCancelled ? atPeriodEnd(owned) : null),
    renewalOf,
  };
}

/** Reads the totals by the id of the plan or rental; none where the next invoice has neither tax nor discount. */
async function readNextTotals(
  query: Query,
  { userId, livemode }: { userId: string; livemode: boolean },
): Promise<ReadonlyMap<string, Totals>> {
  const { rows } = await query<Totals & { id: string }>(
    `select o.id, s.next_subtotal as subtotal, s.next_discount as discount, s.next_tax as tax
     from (
       select id, payment_id from subscriptions where user_id = $1 and livemode = $2 and ended_at is null
       union all select id, payment_id from access_grants where user_id = $1 and livemode = $2 and ended_at is null) o
       join subscription_syncs s using (payment_id)
     where s.next_discount > 0 or s.next_tax > 0`,
    [userId, livemode],
  );
  return new Map(rows.map(({ id, ...totals }) => [id, totals]));
}
