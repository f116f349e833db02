import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { sha256 } from '../hash.ts';

/** Whose code or refresh token it was. */
export type GrantSource = {
  kind: 'code' | 'refresh-token';
  grantId: string;
  userId: string;
  clientId: string;
  isExpired: boolean;
  isUsed: boolean;
};

export type GrantSources = ReturnType<typeof createGrantSources>;

type SourceRow = {
  model: string;
  grant_id: string | null;
  account_id: string | null;
  client_id: string | null;
  is_expired: boolean;
  is_used: boolean;
};

/** Finds the sign-in behind a code or refresh token that was refused, as long as its record is there, expired or not. */
export function createGrantSources(db: Database, log: Log) {
  return {
    async find(value: string | undefined): Promise<GrantSource | undefined> {
      if (value === undefined) return undefined;
      try {
        const { rows } = await db.query<SourceRow>(
          `select model, grant_id, account_id, payload->>'clientId' as client_id, expires_at <= now() as is_expired,
             consumed_at is not null as is_used
           from oauth_records where model in ('AuthorizationCode', 'RefreshToken') and id = $1`,
          [sha256(value)],
        );
        const [row] = rows;
        if (!row?.grant_id || !row.account_id || !row.client_id) return undefined;
        return {
          kind: row.model === 'AuthorizationCode' ? 'code' : 'refresh-token',
          grantId: row.grant_id,
          userId: row.account_id,
          clientId: row.client_id,
          isExpired: row.is_expired,
          isUsed: row.is_used,
        };
      } catch (error) {
        log.warn({ err: error }, 'the sign-in behind a refused token request was not found');
        return undefined;
      }
    },
  };
}
