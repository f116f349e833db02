import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

export function diagnosticsContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'connectionAttempts',
    export: async (userId) => {
      const { rows } = await query(
        `select client_name as "clientName", client_version as "clientVersion", user_agent as "userAgent", era,
           protocol_version as "protocolVersion",
           first_passed as "firstPassed", last_passed as "lastPassed", failed, started_at as "startedAt",
           last_at as "lastAt"
         from connection_attempts where user_id = $1 order by started_at`,
        [userId],
      );
      return rows;
    },
    erase: async (userId, tx) => {
      await tx(`delete from connection_attempts where user_id = $1`, [userId]);
    },
  };
}
