import type { Query } from '#platform/db/database.ts';
import { readRow, readRows } from '../../../read-rows.ts';
import type { Order, OrderStatus } from './order.ts';

type OrderRow = Omit<Order, 'paid'> & {
  paidTotal: number | undefined;
  paidDiscount: number | undefined;
  paidTax: number | undefined;
};

const selectOrder = `select id, user_id as "userId", livemode, kind, item_id as "itemId", description, price_id as "priceId",
  amount, currency, credits, success_url as "successUrl", cancel_url as "cancelUrl", session_id as "sessionId",
  checkout_url as "checkoutUrl", subscription_id as "subscriptionId", payment_intent_id as "paymentIntentId", status, reason,
  trouble, replaces, shown_rentals as "shownRentals", created_at as "createdAt", expires_at as "expiresAt",
  asks_tax as "asksTax", allows_codes as "allowsCodes", paid_total as "paidTotal", paid_discount as "paidDiscount",
  paid_tax as "paidTax"
from checkout_orders`;

/** Adds an order. @returns false where the user has an open one for the same item */
export async function insertOrder(query: Query, order: Order): Promise<boolean> {
  const { rows } = await query(
    `insert into checkout_orders (id, user_id, livemode, kind, item_id, description, price_id, amount, currency, credits,
       success_url, cancel_url, created_at, expires_at, shown_rentals, asks_tax, allows_codes)
     select id, "userId", livemode, kind, "itemId", description, "priceId", amount, currency, credits, "successUrl",
       "cancelUrl", "createdAt", "expiresAt", "shownRentals", "asksTax", "allowsCodes"
     from jsonb_to_record($1::jsonb) as o(id uuid, "userId" uuid, livemode boolean, kind text, "itemId" text, description text,
       "priceId" text, amount bigint, currency text, credits bigint, "successUrl" text, "cancelUrl" text,
       "createdAt" timestamptz, "expiresAt" timestamptz, "shownRentals" text[], "asksTax" boolean, "allowsCodes" boolean)
     on conflict (user_id, livemode, kind, item_id) where status = 'open' do nothing returning id`,
    [JSON.stringify(order)],
  );
  return rows.length === 1;
}

export async function findOrder(
  query: Query,
  by: { id: string } | { sessionId: string },
  lock: '' | 'for update' = '',
): Promise<Order | undefined> {
  const [column, value] = 'id' in by ? ['id', by.id] : ['session_id', by.sessionId];
  const [order] = await readOrders(query, `where ${column} = $1 ${lock}`, [value]);
  return order;
}

export async function findOpenOrder(
  query: Query,
  { userId, livemode, kind, itemId }: Pick<Order, 'userId' | 'livemode' | 'kind' | 'itemId'>,
): Promise<Order | undefined> {
  const [order] = await readOrders(
    query,
    `where user_id = $1 and livemode = $2 and kind = $3 and item_id = $4 and status = 'open'`,
    [userId, livemode, kind, itemId],
  );
  return order;
}

export async function countOpenOrders(query: Query, userId: string, livemode: boolean): Promise<number> {
  const row = await readRow<{ orders: number }>(
    query,
    `select count(*)::int as orders from checkout_orders where user_id = $1 and livemode = $2 and status = 'open'`,
    [userId, livemode],
  );
  return row?.orders ?? 0;
}

export async function saveSession(
  query: Query,
  id: string,
  session: { id: string; url: string | null },
): Promise<void> {
  await query(
    `update checkout_orders set session_id = $2, checkout_url = $3 where id = $1 and (session_id is null or session_id = $2)`,
    [id, session.id, session.url],
  );
}

/** Stores which rentals the page listed, when a user comes back to an open order. */
export async function saveShownRentals(
  query: Query,
  { id }: Order,
  shownRentals: Order['shownRentals'],
): Promise<void> {
  await query(`update checkout_orders set shown_rentals = $2 where id = $1`, [id, shownRentals ?? null]);
}

/**
 * Changes the status of an order; fields that are left out stay as they are.
 * @param from only an order with one of these statuses is changed
 */
export async function decideOrder(
  query: Query,
  id: string,
  from: readonly OrderStatus[],
  {
    paid,
    ...decided
  }: Pick<Order, 'status'> &
    Partial<Pick<Order, 'reason' | 'trouble' | 'replaces' | 'subscriptionId' | 'paymentIntentId' | 'paid'>> & {
      at: Date;
    },
): Promise<boolean> {
  const { rows } = await query(
    `update checkout_orders o set status = d.status, decided_at = d.at, reason = coalesce(d.reason, o.reason),
       subscription_id = coalesce(d."subscriptionId", o.subscription_id),
       payment_intent_id = coalesce(d."paymentIntentId", o.payment_intent_id), paid_total = coalesce(d.total, o.paid_total),
       paid_discount = coalesce(d.discount, o.paid_discount), paid_tax = coalesce(d.tax, o.paid_tax),
       trouble = coalesce(d.trouble, o.trouble), replaces = coalesce(d.replaces, o.replaces)
     from jsonb_to_record($3::jsonb) as d(status text, at timestamptz, reason text, "subscriptionId" text,
       "paymentIntentId" text, total bigint, discount bigint, tax bigint, trouble text, replaces text[])
     where o.id = $1 and o.status = any($2::text[]) returning o.id`,
    [id, from, JSON.stringify({ ...decided, ...paid })],
  );
  return rows.length === 1;
}

export async function expireOrders(query: Query, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await query(
    `update checkout_orders set status = 'expired', decided_at = $2 where id = any($1::uuid[]) and status = 'open'`,
    [ids, at],
  );
}

/** Returns the next orders that wait for the provider's answer, the oldest first, in pages. */
export function listUndecided(
  query: Query,
  livemode: boolean,
  { before, after, limit }: { before: Date; after: Order | undefined; limit: number },
): Promise<Order[]> {
  return readOrders(
    query,
    `where status in ('open', 'paid', 'returning') and livemode = $1 and created_at < $2
       and (created_at, id) > ($3::timestamptz, $4::uuid)
     order by created_at, id limit $5`,
    [livemode, before, after?.createdAt ?? new Date(0), after?.id ?? '00000000-0000-0000-0000-000000000000', limit],
  );
}

/** Returns the orders with these statuses that were decided in a time span, the oldest first. */
export function listDecided(
  query: Query,
  livemode: boolean,
  { statuses, after, before, limit }: { statuses: readonly OrderStatus[]; after: Date; before: Date; limit: number },
): Promise<Order[]> {
  return readOrders(
    query,
    `where status = any($2::text[]) and livemode = $1 and decided_at > $3 and decided_at <= $4
     order by decided_at, id limit $5`,
    [livemode, statuses, after, before, limit],
  );
}

/** Marks open orders as withdrawn: payments that still arrive are refunded. */
export async function withdrawOrders(query: Query, ids: readonly string[], reason: string): Promise<void> {
  await query(`update checkout_orders set reason = $2 where id = any($1::uuid[]) and status = 'open'`, [ids, reason]);
}

/** Returns the next open orders that are not withdrawn, in pages. */
export function listOpen(query: Query, livemode: boolean, after: string, limit: number): Promise<Order[]> {
  const condition = `where status = 'open' and reason is null and livemode = $1 and id > $2::uuid order by id limit $3`;
  return readOrders(query, condition, [livemode, after, limit]);
}

/** Returns the open orders of one user that are not withdrawn: there are few. */
export function listOpenOf(query: Query, livemode: boolean, userId: string): Promise<Order[]> {
  const condition = `where user_id = $1 and livemode = $2 and status = 'open' and reason is null`;
  return readOrders(query, condition, [userId, livemode]);
}

/** Finds which of these users own something or are about to. Only they can already own what they pay for. */
export async function findOwners(
  query: Query,
  livemode: boolean,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await query<{ user_id: string }>(
    `select asked as user_id from unnest($1::uuid[]) asked where
       exists (select from subscriptions where user_id = asked and livemode = $2 and ended_at is null)
       or exists (select from access_grants where user_id = asked and livemode = $2 and ended_at is null)
       or exists (select from checkout_orders where user_id = asked and livemode = $2 and status = 'paid')`,
    [[...new Set(userIds)], livemode],
  );
  return new Set(rows.map((row) => row.user_id));
}

async function readOrders(query: Query, condition: string, values: readonly unknown[]): Promise<Order[]> {
  const rows = await readRows<OrderRow>(query, `${selectOrder} ${condition}`, values);
  return rows.map(({ paidTotal: total, paidDiscount: discount = 0, paidTax: tax = 0, ...order }) => ({
    ...order,
    paid: total === undefined ? undefined : { total, discount, tax },
  }));
}
