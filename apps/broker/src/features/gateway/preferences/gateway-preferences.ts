import { gatewayPreferencesSchema, type GatewayPreferences } from '@souk/contract/gateway.ts';
import type { Query } from '#platform/db/database.ts';
import type { Caller } from '#platform/http/caller.ts';

const defaults: GatewayPreferences = { compactMode: false, tokens: {} };

/** The user's choices about the list on /mcp, or the defaults. Read for lists, never for calls. */
export async function readGatewayPreferences(query: Query, userId: string): Promise<GatewayPreferences> {
  const { rows } = await query<{ compact_mode: boolean; compact_tokens: unknown }>(
    `select compact_mode, compact_tokens from gateway_preferences where user_id = $1`,
    [userId],
  );
  const [row] = rows;
  return row ? gatewayPreferencesSchema.parse({ compactMode: row.compact_mode, tokens: row.compact_tokens }) : defaults;
}

export async function writeGatewayPreferences(query: Query, userId: string, chosen: GatewayPreferences): Promise<void> {
  await query(
    `insert into gateway_preferences (user_id, compact_mode, compact_tokens) values ($1, $2, $3::jsonb)
     on conflict (user_id) do update set compact_mode = excluded.compact_mode, compact_tokens = excluded.compact_tokens`,
    [userId, chosen.compactMode, JSON.stringify(chosen.tokens)],
  );
}

/** Whether the calling client gets the compact list: the choice for its token, otherwise the user's. */
export async function isCompact(query: Query, caller: Caller): Promise<boolean> {
  const { compactMode, tokens } = await readGatewayPreferences(query, caller.userId);
  return tokens[caller.tokenId] ?? compactMode;
}
