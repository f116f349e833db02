import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

/**
 * Exports and erases what this feature stores about a user: the servers that they switched off, and their accounts
 * without secrets.
 */
export function upstreamContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'connections',
    async export(userId) {
      const disabled = await query(
        `select server_id as "serverId", disabled_at as "disabledAt" from user_server_prefs
         where user_id = $1 order by server_id`,
        [userId],
      );
      const accounts = await query(
        `select server_id as "serverId", kind, state, account, signed_in_at as "signedInAt",
           refreshed_at as "refreshedAt", o.items as offered
         from upstream_connections left join personal_tools o using (user_id, server_id)
         where user_id = $1 order by server_id`,
        [userId],
      );
      return { disabledServers: disabled.rows, upstreamConnections: accounts.rows };
    },
    async erase(userId, query) {
      for (const table of [
        'connection_tests',
        'user_server_prefs',
        'upstream_sign_ins',
        'personal_tools',
        'upstream_connections',
      ]) {
        await query(`delete from ${table} where user_id = $1`, [userId]);
      }
    },
  };
}
