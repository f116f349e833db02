import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import type { TrialAddresses } from './trial-addresses.ts';

/**
 * The plans and servers that a user owns or owned. After a deletion the rows stay under the user id, which then identifies no
 * person, and have ended.
 */
export function accessContributor({
  query,
  trialAddresses,
}: {
  query: Query;
  trialAddresses: TrialAddresses;
}): AccountContributor {
  return {
    name: 'subscriptions',
    async export(userId) {
      const { rows } = await query<Record<string, unknown>>(
        `select 'plan' as kind, plan_id as "of", source, not livemode as sandbox, started_at as "startedAt",
           period_ends_at as "periodEndsAt", cancelled_at as "cancelledAt", ended_at as "endedAt"
         from subscriptions where user_id = $1
         union all
         select kind, server_id, source, not livemode, started_at, period_ends_at, cancelled_at, ended_at
         from access_grants where user_id = $1
         order by "startedAt" desc limit 10000`,
        [userId],
      );
      return rows;
    },
    async erase(userId, query, address) {
      await trialAddresses.recordAllOf(query, address, userId);
      for (const table of ['subscriptions', 'access_grants'])
        await query(`update ${table} set ended_at = now() where user_id = $1 and ended_at is null`, [userId]);
    },
  };
}
