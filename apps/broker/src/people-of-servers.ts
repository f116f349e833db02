import { countRenters } from '#features/billing/index.ts';
import type { PeopleOfServers } from '#features/catalogue/index.ts';
import { emailsOf } from '#features/identity/index.ts';
import { countPeopleOfServer } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';

/** What administrators and the operator's commands are told of the people of a server, from the features that know it. */
export function peopleOfServers(parts: { query: Query; livemode(): boolean; clock: Clock }): PeopleOfServers {
  const { query, livemode, clock } = parts;
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
  };
}
