import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Query } from '#platform/db/database.ts';
import { endAtProvider } from './end-at-provider.ts';
import type { SyncSubscription } from './sync-subscription.ts';

/**
 * Ends what a person had not paid for, and has bought anew: a plan, or the rental of a server. Nothing more is collected for it.
 * @throws SoukError payments_unavailable: call again
 */
export type EndReplaced = (order: {
  userId: string;
  livemode: boolean;
  kind: 'plan' | 'rental' | 'credits';
  itemId: string;
  subscriptionId: string | undefined;
}) => Promise<void>;

export function createEndReplaced(given: {
  query: Query;
  provider: PaymentProvider;
  sync: SyncSubscription;
}): EndReplaced {
  return async ({ userId, livemode, kind, itemId, subscriptionId }) => {
    if (kind === 'credits') return;
    const of = kind === 'plan' ? 'subscriptions' : 'access_grants';
    const { rows } = await given.query<{ payment_id: string }>(
      `select payment_id from ${of}
       where user_id = $1 and livemode = $2 and payment_id <> $3 and past_due and ended_at is null
         ${kind === 'plan' ? 'and $4::text is not null' : 'and server_id = $4'}`,
      [userId, livemode, subscriptionId ?? '', itemId],
    );
    for (const row of rows) await endAtProvider(given, row.payment_id);
  };
}
