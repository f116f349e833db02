import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

/** What this feature stores about a person: what they switched off, and their upstream accounts, without the secrets. */
export function upstreamContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'connections',
    async export(userId) {
      const disabled = await query<{ server_id: string; disabled_at: Date }>(
        'select server_id, disabled_at from user_server_prefs where user_id = $1 order by server_id',
        [userId],
      );
      const signIns = await query<{
        server_id: string;
        kind: string;
        state: string;
        account: string | null;
        signed_in_at: Date;
        refreshed_at: Date | null;
        offered: unknown;
      }>(
        `select server_id, kind, state, account, signed_in_at, refreshed_at, o.items as offered
         from upstream_connections left join personal_offers o using (user_id, server_id)
         where user_id = $1 order by server_id`,
        [userId],
      );
      return {
        disabledServers: disabled.rows.map((row) => ({ serverId: row.server_id, disabledAt: row.disabled_at })),
        upstreamConnections: signIns.rows.map((row) => ({
          serverId: row.server_id,
          kind: row.kind,
          state: row.state,
          account: row.account,
          signedInAt: row.signed_in_at,
          refreshedAt: row.refreshed_at,
          offered: row.offered,
        })),
      };
    },
    async erase(userId, query) {
      for (const table of [
        'connection_tests',
        'user_server_prefs',
        'upstream_sign_ins',
        'personal_offers',
        'upstream_connections',
      ]) {
        await query(`delete from ${table} where user_id = $1`, [userId]);
      }
    },
  };
}
