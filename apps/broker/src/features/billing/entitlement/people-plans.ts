import type { PeoplePlans } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { isRunningSql, runningValues } from './running-sql.ts';

/** Plans of many users, for the administrators' list of users. */
export function createPeoplePlans(options: { query: Query; livemode: boolean; clock: Clock }): PeoplePlans {
  const { query, livemode, clock } = options;
  return {
    async plansOf(userIds) {
      if (userIds.length === 0) return new Map();
      // like highestPlan: the highest tier, of several plans the one that ends last
      const { rows } = await query<{ user_id: string; plan_id: string }>(
        `select distinct on (user_id) user_id, plan_id from subscriptions join plans using (plan_id)
         where user_id = any($1::uuid[]) and livemode = $2 and ${isRunningSql({ now: '$3', renewedSince: '$4' })}
         order by user_id, tier desc, period_ends_at desc nulls first`,
        [userIds, livemode, ...runningValues(clock.now())],
      );
      return new Map(rows.map((row) => [row.user_id, row.plan_id]));
    },

    hasPlan(planId, userId, bind) {
      const [now, renewedSince] = runningValues(clock.now());
      const ofPlan = planId === undefined ? '' : `plan_id = ${bind(planId)} and`;
      return `exists (select from subscriptions where user_id = ${userId} and livemode = ${bind(livemode)} and ${ofPlan}
        ${isRunningSql({ now: bind(now), renewedSince: bind(renewedSince) })})`;
    },
  };
}
