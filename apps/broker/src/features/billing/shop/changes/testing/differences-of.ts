import type { Shop } from '../../checkout/testing/shop.ts';
import { comparePaid } from '../../subscriptions/compare-paid.ts';
import { readBalance } from '../record-balance.ts';
import type { Person } from './purchase-person.ts';

/**
 * Returns where the provider, the history, the ledger and the screens of a user disagree when all work is done: for
 * each payment we keep what the history says, we keep nothing of a payment that is refunded, each paid plan is given
 * with its credits, and no balance is hidden.
 */
export async function differencesOf(shop: Shop, person: Person): Promise<string[]> {
  const { userId } = person;
  const found: string[] = [];
  const { data: disputes } = await shop.stripe.disputes.list({ limit: 100 });
  const lost = new Set(disputes.filter(({ status }) => status === 'lost').map(({ charge }) => String(charge)));
  const { rows: returned } = await shop.db.query<{ intent: string }>(
    `select payment_intent_id as intent from subscription_invoices where return_reason is not null
     union select payment_intent_id from checkout_orders where user_id = $1 and status = 'refunded' and payment_intent_id is not null`,
    [userId],
  );
  const goesBack = new Set(returned.map(({ intent }) => intent));
  for (const charge of await person.charges()) {
    if (!charge.paid) continue;
    const intent = String(charge.payment_intent);
    const kept = charge.amount - charge.amount_refunded - (lost.has(charge.id) ? charge.amount : 0);
    if (goesBack.has(intent) && kept > 0) found.push(`${kept} of ${charge.id} are kept for nothing`);
    const told = await keptByHistory(shop, intent);
    if (told !== kept) found.push(`${charge.id}: ${kept} are kept, and the history says ${told}`);
  }
  for (const { paid, given } of (await comparePaid(shop.db.query, false, new Date(shop.ahead.ms + Date.now()))).filter(
    (one) => one.userId === userId,
  ))
    found.push(`${paid} is paid, and ${given} is given`);
  found.push(...(await plansThatDiffer(shop, person)), ...(await hiddenBalance(shop, person)));
  return found;
}

async function keptByHistory({ db }: Shop, intent: string): Promise<number | undefined> {
  const { rows } = await db.query<{ kept: number | null }>(
    `select sum(case when type = 'refund' then -amount else amount end)::bigint as kept from transactions
     where payment_intent_id = $1 and (type <> 'refund' or status = 'completed')`,
    [intent],
  );
  return rows[0]?.kept ?? undefined;
}

/** At most one plan is paid, and it is shown as the provider has it. */
async function plansThatDiffer(shop: Shop, person: Person): Promise<string[]> {
  const live = (await person.subscriptions()).filter(({ status }) => status !== 'canceled');
  const { rows } = await shop.db.query<{
    payment_id: string;
    plan_id: string;
    next: string | null;
    cancelled: boolean;
  }>(
    `select payment_id, plan_id, next_plan_id as next, cancelled_at is not null as cancelled from subscriptions
     where user_id = $1 and source = 'payment' and ended_at is null`,
    [person.userId],
  );
  const shown = rows.map((row) => `${row.payment_id} ${row.next ?? row.plan_id} ${row.cancelled}`).toSorted();
  const atProvider = live
    .map((one) => {
      const plan = String(one.items.data[0]?.price.product).replace(/^souk_plan_/, '');
      return `${one.id} ${plan} ${one.cancel_at_period_end}`;
    })
    .toSorted();
  const differing = String(shown) === String(atProvider) ? [] : [`shown: ${shown}; at the provider: ${atProvider}`];
  return live.length > 1 ? [...differing, `${live.length} plans are paid for`] : differing;
}

async function hiddenBalance(shop: Shop, { userId }: Person): Promise<string[]> {
  const customer = await shop.billing.payments?.checkout.customers.find(userId);
  const found = customer === undefined ? undefined : await shop.stripe.customers.retrieve(customer);
  const balance = found && 'balance' in found ? found.balance : 0;
  const shown = (await readBalance(shop.db.query, userId, false))?.amount ?? 0;
  return balance === shown ? [] : [`a balance of ${balance} is shown as ${shown}`];
}
