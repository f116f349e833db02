import type { Query } from '#platform/db/database.ts';
import { sha256 } from '../../hash.ts';
import type { RefusedGrant } from '../../identity-events.ts';
import { frontendClientId } from '../resources.ts';

type GrantRow = {
  model: string;
  grant_id: string | null;
  account_id: string | null;
  client_id: string | null;
  resource: string | string[] | null;
  is_expired: boolean;
  is_used: boolean;
};

/**
 * Finds the sign-in behind a code or refresh token that was refused, as long as its record exists, expired or not.
 * @returns undefined where there is none, and for the web app's own
 */
export async function findRefusedGrant(query: Query, value: string | undefined): Promise<RefusedGrant | undefined> {
  if (value === undefined) return undefined;
  const { rows } = await query<GrantRow>(
    `select model, grant_id, account_id, payload->>'clientId' as client_id, payload->'resource' as resource,
       expires_at <= now() as is_expired, consumed_at is not null as is_used
     from oauth_records where model in ('AuthorizationCode', 'RefreshToken') and id = $1`,
    [sha256(value)],
  );
  const [row] = rows;
  if (!row?.grant_id || !row.account_id || !row.client_id || row.client_id === frontendClientId) return undefined;
  return {
    kind: row.model === 'AuthorizationCode' ? 'code' : 'refresh-token',
    grantId: row.grant_id,
    userId: row.account_id,
    clientId: row.client_id,
    resource: [row.resource ?? []].flat()[0],
    isExpired: row.is_expired,
    isUsed: row.is_used,
  };
}
