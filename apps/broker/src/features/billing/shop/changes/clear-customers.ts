import type { Stripe } from 'stripe';
import { isRefusal, makeOnce } from '#adapters/stripe/stripe-client.ts';
import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../read-rows.ts';
import type { ShopParts } from '../shop-parts.ts';

const claimMs = 120_000;
const longestWaitMs = 24 * 60 * 60_000;
/** Failures from this attempt on raise an alarm. */
const alarmingAttempt = 5;
/** Failures after which a run ends; the next one retries. */
const maxFailures = 3;

/** Refunds the balances that customers of deleted accounts have at the provider: no invoice will use them. */
export type Clearings = { clearDue(): Promise<void> };

type Clearing = { customerId: string; amount: number | undefined; currency: string; attempts: number };
type ClearingParts = Pick<ShopParts, 'db' | 'provider' | 'clock' | 'log'>;

/** Stores a customer whose account is deleted, in the transaction of the deletion. */
export async function wantClearing(query: Query, userId: string): Promise<void> {
  await query(
    `insert into customer_clearings (customer_id, livemode, next_at)
     select customer_id, livemode, now() from payment_customers where user_id = $1 on conflict (customer_id) do nothing`,
    [userId],
  );
}

export function createClearings(parts: ClearingParts): Clearings {
  const { db, log } = parts;
  return {
    async clearDue() {
      for (let failures = 0; failures < maxFailures;) {
        const clearing = await take(parts);
        if (!clearing) return;
        try {
          await clear(parts, clearing);
        } catch (error) {
          failures += 1;
          const facts = { err: error, customer: clearing.customerId };
          const text = 'the balance of a deleted account could not be refunded yet';
          if (isRefusal(error) || clearing.attempts >= alarmingAttempt) log.error(facts, text);
          else log.warn(facts, text);
          const waitMs = Math.min(longestWaitMs, 60_000 * 2 ** clearing.attempts);
          await db.query('update customer_clearings set next_at = $2 where customer_id = $1', [
            clearing.customerId,
            inMs(parts, waitMs),
          ]);
        }
      }
    },
  };
}

const inMs = ({ clock }: ClearingParts, ms: number) => new Date(clock.now() + ms);

const take = (parts: ClearingParts): Promise<Clearing | undefined> =>
  readRow(
    parts.db.query,
    `update customer_clearings set next_at = $3, attempts = attempts + 1 where customer_id = (
       select customer_id from customer_clearings where livemode = $1 and next_at <= $2 order by next_at limit 1
       for update skip locked)
     returning customer_id as "customerId", amount, coalesce(currency, '') as currency, attempts`,
    [parts.provider.livemode, inMs(parts, 0), inMs(parts, claimMs)],
  );

async function clear(parts: ClearingParts, clearing: Clearing): Promise<void> {
  const { customerId } = clearing;
  const { amount, currency } = await decide(parts, clearing);
  if (amount > 0) {
    await takeBalance(parts, customerId, amount, currency);
    await refundCharges(parts, customerId, amount);
    parts.log.warn({ customer: customerId, amount, currency }, 'the balance of a deleted account was refunded');
  }
  await parts.db.query('delete from customer_clearings where customer_id = $1', [customerId]);
}

/** Decides the amount once, so that each retry refunds the same amount. */
async function decide(
  { db, provider }: ClearingParts,
  { customerId, ...clearing }: Clearing,
): Promise<{ amount: number; currency: string }> {
  if (clearing.amount !== undefined) return { amount: clearing.amount, currency: clearing.currency };
  const customer = await provider.find((stripe) => stripe.customers.retrieve(customerId));
  const balance = customer && 'balance' in customer ? customer.balance : 0;
  const currency = (customer && 'currency' in customer ? customer.currency : undefined) ?? 'usd';
  const amount = Math.max(0, -balance);
  await db.query('update customer_clearings set amount = $2, currency = $3 where customer_id = $1', [
    customerId,
    amount,
    currency,
  ]);
  return { amount, currency };
}

async function takeBalance(
  { provider }: ClearingParts,
  customer: string,
  amount: number,
  currency: string,
): Promise<void> {
  const find = async () => {
    const { data } = await provider.call((stripe) =>
      stripe.customers.listBalanceTransactions(customer, { limit: 100 }),
    );
    return data.find(({ metadata }) => metadata?.['cleared'] === customer);
  };
  if (await find()) return;
  await makeOnce(
    provider,
    `clear-balance:${customer}`,
    (stripe, idempotencyKey) =>
      stripe.customers.createBalanceTransaction(
        customer,
        { amount, currency, description: 'Paid back: the account was deleted', metadata: { cleared: customer } },
        { idempotencyKey },
      ),
    find,
  );
}

/** Refunds the newest charges first. A balance beyond the charges was a gift and is not owed. */
async function refundCharges(parts: ClearingParts, customer: string, amount: number): Promise<void> {
  const { provider, log } = parts;
  const { data } = await provider.call((stripe) => stripe.charges.list({ customer, limit: 100 }));
  let left = amount;
  for (const charge of data) {
    const made = await refundedOf(parts, charge, customer);
    left -= made;
    const part = Math.min(left, charge.paid && !charge.disputed ? charge.amount - charge.amount_refunded : 0);
    if (part <= 0) continue;
    await makeOnce(
      provider,
      `clear:${customer}:${charge.id}:${part}`,
      (stripe, idempotencyKey) =>
        stripe.refunds.create(
          { charge: charge.id, amount: part, reason: 'requested_by_customer', metadata: { cleared: customer } },
          { idempotencyKey },
        ),
      async () => (await listRefunds(parts, charge, customer))[0],
    );
    left -= part;
  }
  if (left > 0)
    log.error({ customer, amount: left }, 'a part of a balance could not be refunded: look at the customer');
}

async function listRefunds(
  { provider }: ClearingParts,
  { id }: Stripe.Charge,
  customer: string,
): Promise<Stripe.Refund[]> {
  const { data } = await provider.call((stripe) => stripe.refunds.list({ charge: id, limit: 100 }));
  return data.filter(
    ({ metadata, status }) => metadata?.['cleared'] === customer && status !== 'failed' && status !== 'canceled',
  );
}

async function refundedOf(parts: ClearingParts, charge: Stripe.Charge, customer: string): Promise<number> {
  if (charge.amount_refunded === 0) return 0;
  return (await listRefunds(parts, charge, customer)).reduce((sum, one) => sum + one.amount, 0);
}
