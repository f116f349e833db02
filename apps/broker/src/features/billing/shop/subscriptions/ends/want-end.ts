import type { Query } from '#platform/db/database.ts';

/** Stores that subscriptions are to end with their period, in the transaction of the decision. It is retried until it succeeds. */
export async function wantEnd(query: Query, providerSubscriptionIds: readonly string[]): Promise<void> {
  await query(
    `insert into subscription_syncs (payment_id, asked, end_wanted) select id, 0, true from unnest($1::text[]) id
     on conflict (payment_id) do update set end_wanted = true`,
    [providerSubscriptionIds],
  );
}
