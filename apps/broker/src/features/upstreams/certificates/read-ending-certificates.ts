import { shownNeeds, type Needs } from '@souk/contract/admin/overview.ts';
import type { CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';

/** Days before the expiry of a certificate at which the operator is notified; a third notice follows on expiry. */
export const certificateThresholdsDays = [14, 3] as const;

const dayMs = 24 * 60 * 60_000;

/** Lists certificates of deployed servers that expire within the longest threshold, or have expired, earliest first. */
export async function readEndingCertificates(
  query: Query,
  { snapshot, nowMs }: { snapshot: Pick<CatalogueSnapshot, 'servers' | 'byId'>; nowMs: number },
): Promise<Needs['endingCertificates']> {
  // a certificate stored for an earlier version of the manifest does not apply to one without TLS
  const secured = snapshot.servers.filter(
    ({ manifest: { connection } }) => 'url' in connection && /^(?:https|wss):/.test(connection.url),
  );
  const { rows } = await query<{ serverId: string; validUntil: Date; issuer: string | null; total: number }>(
    `select server_id as "serverId", valid_until as "validUntil", issuer, (count(*) over ())::int as total from server_certificates
     where valid_until < $1 and server_id = any($2::text[]) order by valid_until, server_id collate "C" limit ${shownNeeds}`,
    [new Date(nowMs + certificateThresholdsDays[0] * dayMs), secured.map(({ id }) => id)],
  );
  return {
    total: rows[0]?.total ?? 0,
    items: rows.map(({ serverId, validUntil, issuer }) => ({
      serverId,
      name: snapshot.byId.get(serverId)?.manifest.name ?? serverId,
      issuer,
      validUntil: validUntil.toISOString(),
      hasExpired: validUntil.getTime() <= nowMs,
    })),
  };
}
