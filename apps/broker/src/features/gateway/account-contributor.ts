import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import { readGatewayPreferences } from './preferences/gateway-preferences.ts';

/** A user's preferences for the list on /mcp, their clients' sessions, and messages on their way between brokers. */
export function gatewayContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'gatewayPreferences',
    export: (userId) => readGatewayPreferences(query, userId),
    erase: async (userId, tx) => {
      await tx(`delete from gateway_preferences where user_id = $1`, [userId]);
      await tx(`delete from mcp_sessions where user_id = $1`, [userId]);
      await tx(`delete from mcp_round_messages where user_id = $1`, [userId]);
      await tx(`delete from tool_run_messages where user_id = $1`, [userId]);
    },
  };
}
