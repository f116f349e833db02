import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../read-rows.ts';
import type { NextInvoice } from './reading/read-next-invoice.ts';
import type { ProviderSubscription } from './reading/read-subscription.ts';

export type StoredSubscription = {
  id: string;
  userId: string;
  livemode: boolean;
  pastDue: boolean;
  /** Id of the plan or the server. */
  itemId: string;
  nextPlanId: string | undefined;
  periodEndsAt: Date;
  cancelledAt: Date | undefined;
  endedAt: Date | undefined;
};

/** Takes a number for a reading that is about to start. */
export async function beginReading(query: Query, providerSubscriptionId: string): Promise<number> {
  const { rows } = await query<{ asked: number }>(
    `insert into subscription_syncs (payment_id, asked) values ($1, 1)
     on conflict (payment_id) do update set asked = subscription_syncs.asked + 1 returning asked`,
    [providerSubscriptionId],
  );
  return rows[0]?.asked ?? 0;
}

/**
 * Locks a subscription until the end of the transaction, and records that a reading is written.
 * @returns false where a later reading is written already: this one may be stale
 */
export async function recordReading(
  query: Query,
  { id, endedAt }: Pick<ProviderSubscription, 'id' | 'endedAt'>,
  reading: number,
  next: NextInvoice | undefined,
): Promise<boolean> {
  const { rows } = await query(
    `update subscription_syncs set written = $2, is_over = $3, next_subtotal = $4, next_discount = $5, next_tax = $6
     where payment_id = $1 and written < $2 returning payment_id`,
    [id, reading, endedAt !== undefined, next?.subtotal ?? null, next?.discount ?? null, next?.tax ?? null],
  );
  return rows.length === 1;
}

/** Finds the user of a subscription by its paid order, which checkout has compared with the payment. */
export async function findOwner(
  query: Query,
  providerSubscriptionId: string,
  livemode: boolean,
): Promise<string | undefined> {
  const { rows } = await query<{ user_id: string }>(
    `select user_id from checkout_orders
     where subscription_id = $1 and livemode = $2 and status in ('paid', 'fulfilled')`,
    [providerSubscriptionId, livemode],
  );
  return rows[0]?.user_id;
}

/**
 * Makes a job refetch a subscription, because it changed during this reading, or the changes that follow from the reading could
 * not be made.
 */
export async function wantReading(query: Query, providerSubscriptionId: string): Promise<void> {
  await query(
    `insert into subscription_syncs (payment_id, asked, read_again) values ($1, 0, true)
     on conflict (payment_id) do update set read_again = true`,
    [providerSubscriptionId],
  );
}

/** Claims the subscriptions that a job has to refetch. */
export async function claimWantedReadings(query: Query, livemode: boolean, limit: number): Promise<string[]> {
  const { rows } = await query<{ payment_id: string }>(
    `update subscription_syncs set read_again = false where payment_id = any(array(
       select payment_id from subscription_syncs s where read_again and exists (
         select from subscriptions o where o.payment_id = s.payment_id and o.livemode = $1
         union all select from access_grants o where o.payment_id = s.payment_id and o.livemode = $1
         union all select from checkout_orders o where o.subscription_id = s.payment_id and o.livemode = $1)
       order by payment_id limit $2 for update skip locked))
     returning payment_id`,
    [livemode, limit],
  );
  return rows.map((row) => row.payment_id);
}

export function findStored(
  query: Query,
  kind: ProviderSubscription['kind'],
  providerSubscriptionId: string,
): Promise<StoredSubscription | undefined> {
  const common = `id, user_id as "userId", livemode, past_due as "pastDue", period_ends_at as "periodEndsAt",
    cancelled_at as "cancelledAt", ended_at as "endedAt"`;
  return readRow(
    query,
    kind === 'plan'
      ? `select ${common}, plan_id as "itemId", next_plan_id as "nextPlanId" from subscriptions where payment_id = $1`
      : `select ${common}, server_id as "itemId", null as "nextPlanId" from access_grants where payment_id = $1`,
    [providerSubscriptionId],
  );
}

/** Facts of a row that the provider does not know. */
export type RowFacts = {
  id: string;
  userId: string;
  livemode: boolean;
  itemId: string;
  nextPlanId: string | undefined;
};

/** The first reading that found a subscription past due sets the time. */
const pastDueSince = (isPastDue: string, stored?: string) =>
  `case when not ${isPastDue}::boolean then null${stored ? ` when ${stored}.past_due then ${stored}.past_due_since` : ''} else now() end`;

/** A subscription that was removed stays removed. */
export async function writePlan(
  query: Query,
  read: ProviderSubscription,
  facts: RowFacts & { at: Date },
): Promise<void> {
  await query(
    `insert into subscriptions (id, user_id, livemode, plan_id, next_plan_id, source, payment_id, past_due, started_at,
       period_ends_at, cancelled_at, ended_at, pending_plan_id, pending_until, price_id, price_amount, price_currency,
       past_due_since, plan_since)
     values ($1, $2, $3, $4, $5, 'payment', $6, $7, $8, $9, $10, $11, (select plan_id from plans where plan_id = $12), $13,
       $14, $15, $16, ${pastDueSince('$7')}, $8)
     on conflict (payment_id) do update set plan_id = excluded.plan_id, next_plan_id = excluded.next_plan_id,
       past_due = excluded.past_due, past_due_since = ${pastDueSince('excluded.past_due', 'subscriptions')},
       period_ends_at = excluded.period_ends_at, cancelled_at = excluded.cancelled_at,
       ended_at = coalesce(subscriptions.ended_at, excluded.ended_at), pending_plan_id = excluded.pending_plan_id,
       pending_until = excluded.pending_until, price_id = excluded.price_id, price_amount = excluded.price_amount,
       price_currency = excluded.price_currency,
       plan_since = case when subscriptions.plan_id = excluded.plan_id then subscriptions.plan_since else $17 end`,
    [
      facts.id,
      facts.userId,
      facts.livemode,
      facts.itemId,
      facts.nextPlanId ?? null,
      ...spanOf(read),
      read.awaited?.planId ?? null,
      read.awaited?.until ?? null,
      read.priceId,
      read.amount ?? null,
      read.currency,
      facts.at,
    ],
  );
}

export async function writeRental(
  query: Query,
  read: ProviderSubscription,
  facts: RowFacts,
  features: readonly string[],
): Promise<void> {
  await query(
    `insert into access_grants (id, user_id, livemode, server_id, features, kind, period, source, payment_id, past_due,
       started_at, period_ends_at, cancelled_at, ended_at, past_due_since)
     values ($1, $2, $3, $4, $5, 'rental', 'monthly', 'payment', $6, $7, $8, $9, $10, $11, ${pastDueSince('$7')})
     on conflict (payment_id) do update set past_due = excluded.past_due,
       past_due_since = ${pastDueSince('excluded.past_due', 'access_grants')}, period_ends_at = excluded.period_ends_at,
       cancelled_at = excluded.cancelled_at, ended_at = coalesce(access_grants.ended_at, excluded.ended_at)`,
    [facts.id, facts.userId, facts.livemode, facts.itemId, JSON.stringify(features), ...spanOf(read)],
  );
}

const spanOf = (read: ProviderSubscription) => [
  read.id,
  read.pastDue,
  read.startedAt,
  read.periodEndsAt,
  read.cancelledAt ?? null,
  read.endedAt ?? null,
];
