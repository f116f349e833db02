import type { Query } from '#platform/db/database.ts';
import type { Order, OrderKind, OrderStatus, PaidTotals } from './order.ts';

type OrderRow = {
  id: string;
  user_id: string;
  livemode: boolean;
  kind: OrderKind;
  item_id: string;
  description: string;
  price_id: string;
  amount: number;
  currency: string;
  credits: number;
  success_url: string;
  cancel_url: string;
  session_id: string | null;
  checkout_url: string | null;
  subscription_id: string | null;
  payment_intent_id: string | null;
  status: OrderStatus;
  reason: string | null;
  trouble: string | null;
  replaces: string[];
  shown_rentals: string[] | null;
  created_at: Date;
  expires_at: Date;
  asks_tax: boolean;
  allows_codes: boolean;
  paid_total: number | null;
  paid_discount: number | null;
  paid_tax: number | null;
};

/** Adds an order. @returns false where the person has an open one for the same thing */
export async function insertOrder(query: Query, order: Order): Promise<boolean> {
  const { rows } = await query(
    `insert into checkout_orders (id, user_id, livemode, kind, item_id, description, price_id, amount, currency, credits,
       success_url, cancel_url, created_at, expires_at, shown_rentals, asks_tax, allows_codes)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     on conflict (user_id, livemode, kind, item_id) where status = 'open' do nothing returning id`,
    [
      order.id,
      order.userId,
      order.livemode,
      order.kind,
      order.itemId,
      order.description,
      order.priceId,
      order.amount,
      order.currency,
      order.credits,
      order.successUrl,
      order.cancelUrl,
      order.createdAt,
      order.expiresAt,
      order.shownRentals ?? null,
      order.asksTax,
      order.allowsCodes,
    ],
  );
  return rows.length === 1;
}

export async function findOrder(
  query: Query,
  by: { id: string } | { sessionId: string },
  lock: '' | 'for update' = '',
): Promise<Order | undefined> {
  const [column, value] = 'id' in by ? ['id', by.id] : ['session_id', by.sessionId];
  const { rows } = await query<OrderRow>(`select * from checkout_orders where ${column} = $1 ${lock}`, [value]);
  return rows[0] && presentOrder(rows[0]);
}

export async function findOpenOrder(
  query: Query,
  { userId, livemode, kind, itemId }: Pick<Order, 'userId' | 'livemode' | 'kind' | 'itemId'>,
): Promise<Order | undefined> {
  const { rows } = await query<OrderRow>(
    `select * from checkout_orders
     where user_id = $1 and livemode = $2 and kind = $3 and item_id = $4 and status = 'open'`,
    [userId, livemode, kind, itemId],
  );
  return rows[0] && presentOrder(rows[0]);
}

export async function countOpenOrders(query: Query, userId: string, livemode: boolean): Promise<number> {
  const { rows } = await query<{ orders: number }>(
    `select count(*)::int as orders from checkout_orders where user_id = $1 and livemode = $2 and status = 'open'`,
    [userId, livemode],
  );
  return rows[0]?.orders ?? 0;
}

/** Remembers the provider's session of an order. */
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

/** Remembers what the person who comes back to an open order was told this time. */
export async function saveShownRentals(
  query: Query,
  { id }: Order,
  shownRentals: Order['shownRentals'],
): Promise<void> {
  await query(`update checkout_orders set shown_rentals = $2 where id = $1`, [id, shownRentals ?? null]);
}

/** What became of an order; what is left out stays as it is. @param from only an order of one of these is changed */
export async function decideOrder(
  query: Query,
  id: string,
  from: readonly OrderStatus[],
  decided: {
    status: OrderStatus;
    at: Date;
    reason?: string;
    trouble?: string;
    replaces?: readonly string[];
    subscriptionId?: string | undefined;
    paymentIntentId?: string | undefined;
    paid?: PaidTotals | undefined;
  },
): Promise<boolean> {
  const { rows } = await query(
    `update checkout_orders set status = $3, decided_at = $4, reason = coalesce($5, reason),
       subscription_id = coalesce($6, subscription_id), payment_intent_id = coalesce($7, payment_intent_id),
       paid_total = coalesce($8, paid_total), paid_discount = coalesce($9, paid_discount), paid_tax = coalesce($10, paid_tax),
       trouble = coalesce($11, trouble), replaces = coalesce($12::text[], replaces)
     where id = $1 and status = any($2::text[]) returning id`,
    [
      id,
      from,
      decided.status,
      decided.at,
      decided.reason ?? null,
      decided.subscriptionId ?? null,
      decided.paymentIntentId ?? null,
      decided.paid?.total ?? null,
      decided.paid?.discount ?? null,
      decided.paid?.tax ?? null,
      decided.trouble ?? null,
      decided.replaces ?? null,
    ],
  );
  return rows.length === 1;
}

/** Those of these orders that are still open have expired. */
export async function expireOrders(query: Query, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await query(
    `update checkout_orders set status = 'expired', decided_at = $2 where id = any($1::uuid[]) and status = 'open'`,
    [ids, at],
  );
}

/** The next orders that wait for the provider's word, the oldest first, in pages. */
export async function listUndecided(
  query: Query,
  livemode: boolean,
  { before, after, limit }: { before: Date; after?: Order | undefined; limit: number },
): Promise<Order[]> {
  const { rows } = await query<OrderRow>(
    `select * from checkout_orders
     where status in ('open', 'paid', 'returning') and livemode = $1 and created_at < $2
       and (created_at, id) > ($3::timestamptz, $4::uuid)
     order by created_at, id limit $5`,
    [livemode, before, after?.createdAt ?? new Date(0), after?.id ?? '00000000-0000-0000-0000-000000000000', limit],
  );
  return rows.map(presentOrder);
}

/** Orders with these statuses that were decided in a time span, the oldest first. */
export async function listDecided(
  query: Query,
  livemode: boolean,
  { statuses, after, before, limit }: { statuses: readonly OrderStatus[]; after: Date; before: Date; limit: number },
): Promise<Order[]> {
  const { rows } = await query<OrderRow>(
    `select * from checkout_orders
     where status = any($2::text[]) and livemode = $1 and decided_at > $3 and decided_at <= $4
     order by decided_at, id limit $5`,
    [livemode, statuses, after, before, limit],
  );
  return rows.map(presentOrder);
}

/** Notes of open orders that they can no longer be had: what is paid for them all the same is given back. */
export async function withdrawOrders(query: Query, ids: readonly string[], reason: string): Promise<void> {
  await query(`update checkout_orders set reason = $2 where id = any($1::uuid[]) and status = 'open'`, [ids, reason]);
}

/** The next open orders that can still be had as far as we know, in pages. */
export async function listOpen(query: Query, livemode: boolean, after: string, limit: number): Promise<Order[]> {
  const { rows } = await query<OrderRow>(
    `select * from checkout_orders
     where status = 'open' and reason is null and livemode = $1 and id > $2::uuid order by id limit $3`,
    [livemode, after, limit],
  );
  return rows.map(presentOrder);
}

/** The same of one person, who has few. */
export async function listOpenOf(query: Query, livemode: boolean, userId: string): Promise<Order[]> {
  const { rows } = await query<OrderRow>(
    `select * from checkout_orders where user_id = $1 and livemode = $2 and status = 'open' and reason is null`,
    [userId, livemode],
  );
  return rows.map(presentOrder);
}

/** Those of these people who own something, or are about to: only they may have what they pay for already. */
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

function presentOrder(row: OrderRow): Order {
  return {
    id: row.id,
    userId: row.user_id,
    livemode: row.livemode,
    kind: row.kind,
    itemId: row.item_id,
    description: row.description,
    priceId: row.price_id,
    amount: row.amount,
    currency: row.currency,
    credits: row.credits,
    successUrl: row.success_url,
    cancelUrl: row.cancel_url,
    sessionId: row.session_id ?? undefined,
    checkoutUrl: row.checkout_url ?? undefined,
    subscriptionId: row.subscription_id ?? undefined,
    paymentIntentId: row.payment_intent_id ?? undefined,
    status: row.status,
    reason: row.reason ?? undefined,
    trouble: row.trouble ?? undefined,
    replaces: row.replaces,
    shownRentals: row.shown_rentals ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    asksTax: row.asks_tax,
    allowsCodes: row.allows_codes,
    paid:
      row.paid_total === null
        ? undefined
        : { total: row.paid_total, discount: row.paid_discount ?? 0, tax: row.paid_tax ?? 0 },
  };
}
