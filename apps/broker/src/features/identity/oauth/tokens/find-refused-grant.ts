import type { Query } from '#platform/db/database.ts';
import { sha256 } from '../../hash.ts';
import type { RefusedGrant } from '../../identity-events.ts';
import { frontendClientId } from '../resources.ts';

type GrantRow = Omit<RefusedGrant, 'resource'> & { resource: string | string[] | null };

/**
 * Finds the sign-in behind a code or refresh token that was refused, as long as its record exists, expired or not.
 * @returns undefined when there is none, and for the web app's own
 */
export async function findRefusedGrant(query: Query, value: string | undefined): Promise<RefusedGrant | undefined> {
  if (value === undefined) return undefined;
  const { rows } = await query<GrantRow>(
    `select case model when 'AuthorizationCode' then 'code' else 'refresh-token' end as kind, grant_id as "grantId",
       account_id as "userId", payload->>'clientId' as "clientId", payload->'resource' as resource,
       expires_at <= now() as "isExpired", consumed_at is not null as "isUsed"
     from oauth_records where model in ('AuthorizationCode', 'RefreshToken') and id = $1
       and grant_id is not null and account_id is not null and payload->>'clientId' <> $2`,
    [sha256(value), frontendClientId],
  );
  return rows[0] && { ...rows[0], resource: [rows[0].resource ?? []].flat()[0] };
}
