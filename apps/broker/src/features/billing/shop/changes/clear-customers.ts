import type { Stripe } from 'stripe';
import { isRefusal, makeOnce, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';

const claimMs = 120_000;
const longestWaitMs = 24 * 60 * 60_000;
/** From this attempt on a failure is an alarm. */
const alarmingAttempt = 5;
/** A provider that does not answer is left alone until the next run. */
const mostFailures = 3;

/** Pays back the balances that customers of deleted accounts have at the provider: no invoice will use them. */
export type Clearings = { clearDue(): Promise<void> };

type Clearing = { customerId: string; amount: number | undefined; currency: string; attempts: number };

/** Notes a customer whose account is deleted, in the transaction of the deletion. */
export async function wantClearing(query: Query, userId: string): Promise<void> {
  await query(
    `insert into customer_clearings (customer_id, livemode, next_at)
     select customer_id, livemode, now() from payment_customers where user_id = $1 on conflict (customer_id) do nothing`,
    [userId],
  );
}

export function createClearings(given: { query: Query; provider: PaymentProvider; clock: Clock; log: Log }): Clearings {
  const { query, provider, clock, log } = given;
  const inMs = (ms: number) => new Date(clock.now() + ms);

  async function take(): Promise<Clearing | undefined> {
    const { rows } = await query<{
      customer_id: string;
      amount: number | null;
      currency: string | null;
      attempts: number;
    }>(
      `update customer_clearings set next_at = $3, attempts = attempts + 1 where customer_id = (
         select customer_id from customer_clearings where livemode = $1 and next_at <= $2 order by next_at limit 1
         for update skip locked)
       returning customer_id, amount, currency, attempts`,
      [provider.livemode, inMs(0), inMs(claimMs)],
    );
    const [row] = rows;
    return (
      row && {
        customerId: row.customer_id,
        amount: row.amount ?? undefined,
        currency: row.currency ?? '',
        attempts: row.attempts,
      }
    );
  }

  /** The amount is decided once, so that what was done of it is found again. */
  async function decide(clearing: Clearing): Promise<{ amount: number; currency: string }> {
    const { customerId } = clearing;
    if (clearing.amount !== undefined) return { amount: clearing.amount, currency: clearing.currency };
    const customer = await provider.find((stripe) => stripe.customers.retrieve(customerId));
    const balance = customer && 'balance' in customer ? customer.balance : 0;
    const currency = (customer && 'currency' in customer ? customer.currency : undefined) ?? 'usd';
    const amount = Math.max(0, -balance);
    await query('update customer_clearings set amount = $2, currency = $3 where customer_id = $1', [
      customerId,
      amount,
      currency,
    ]);
    return { amount, currency };
  }

  async function clear(clearing: Clearing): Promise<void> {
    const { customerId } = clearing;
    const { amount, currency } = await decide(clearing);
    if (amount > 0) {
      await takeBalance(customerId, amount, currency);
      await refundCharges(customerId, amount);
      log.warn({ customer: customerId, amount, currency }, 'the balance of a deleted account was paid back');
    }
    await query('delete from customer_clearings where customer_id = $1', [customerId]);
  }

  async function takeBalance(customer: string, amount: number, currency: string): Promise<void> {
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

  /** Of the newest charges first. What is more than they were is not owed: it was given. */
  async function refundCharges(customer: string, amount: number): Promise<void> {
    const { data } = await provider.call((stripe) => stripe.charges.list({ customer, limit: 100 }));
    let left = amount;
    for (const charge of data) {
      const made = await refundedOf(charge, customer);
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
        async () => (await listRefunds(charge, customer))[0],
      );
      left -= part;
    }
    if (left > 0)
      log.error({ customer, amount: left }, 'a part of a balance could not be paid back: look at the customer');
  }

  async function listRefunds({ id }: Stripe.Charge, customer: string): Promise<Stripe.Refund[]> {
    const { data } = await provider.call((stripe) => stripe.refunds.list({ charge: id, limit: 100 }));
    return data.filter(
      ({ metadata, status }) => metadata?.['cleared'] === customer && status !== 'failed' && status !== 'canceled',
    );
  }

  const refundedOf = async (charge: Stripe.Charge, customer: string): Promise<number> =>
    charge.amount_refunded === 0 ? 0 : (await listRefunds(charge, customer)).reduce((sum, one) => sum + one.amount, 0);

  return {
    async clearDue() {
      for (let failures = 0; failures < mostFailures;) {
        const clearing = await take();
        if (!clearing) return;
        try {
          await clear(clearing);
        } catch (error) {
          failures += 1;
          const facts = { err: error, customer: clearing.customerId };
          const text = 'the balance of a deleted account could not be paid back yet';
          if (isRefusal(error) || clearing.attempts >= alarmingAttempt) log.error(facts, text);
          else log.warn(facts, text);
          const waitMs = Math.min(longestWaitMs, 60_000 * 2 ** clearing.attempts);
          await query('update customer_clearings set next_at = $2 where customer_id = $1', [
            clearing.customerId,
            inMs(waitMs),
          ]);
        }
      }
    },
  };
}
