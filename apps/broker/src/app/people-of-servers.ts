import { countAsked, countRenters } from '#features/billing/index.ts';
import { readPriceSteps, type PeopleOfServers } from '#features/catalogue/index.ts';
import { accountsSince, emailsOf } from '#features/identity/index.ts';
import { callersOfTools, countPeopleOfServer } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';

/**
 * Tells administrators and the operator's commands about the users of a server.
 * @param parts.isCharging false: every call is free, and no user is asked to approve a price
 */
export function peopleOfServers(parts: {
  query: Query;
  livemode(): boolean;
  isCharging: boolean;
  clock: Clock;
}): PeopleOfServers {
  const { query, livemode, isCharging, clock } = parts;
  const rentersOf: PeopleOfServers['rentersOf'] = (serverIds) =>
    countRenters(query, livemode(), clock.now(), serverIds);
  return {
    rentersOf,
    emailsOf: (userIds) => emailsOf(query, userIds),
    async peopleOf(serverId) {
      const [renters, users] = await Promise.all([
        rentersOf([serverId]),
        countPeopleOfServer(query, clock.now(), serverId),
      ]);
      return { renters: renters.get(serverId) ?? 0, users };
    },
    async askedOf(manifest, prices) {
      if (!isCharging) return 0;
      const serverId = manifest.id;
      const nowMs = clock.now();
      const tools = prices.map(({ tool }) => tool);
      const [callers, steps] = await Promise.all([
        callersOfTools(query, { serverId, tools, nowMs }),
        readPriceSteps(query, { serverId, tools, untilMs: nowMs }),
      ]);
      const raised = prices.map(({ tool, before, after }) => ({
        tool,
        credits: after,
        // without a record, the tool has always cost the deployed version's price
        steps: steps.get(tool) ?? [{ credits: before, sinceMs: 0 }],
      }));
      const since = await accountsSince(query, [...new Set(callers.map(({ userId }) => userId))]);
      return countAsked(query, livemode(), { manifest, raised, callers, accountsSince: since });
    },
  };
}
