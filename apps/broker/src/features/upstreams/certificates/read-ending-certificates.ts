import { shownNeeds, type Needs } from '@souk/contract/admin/overview.ts';
import type { CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';

/** An operator is told so long before, again so long before, and once a certificate has expired. */
export const certificateThresholdsDays = [14, 3] as const;

const dayMs = 24 * 60 * 60_000;

/** Certificates of deployed servers that end within the longest threshold, or have ended, the first one to end first. */
export async function readEndingCertificates(
  query: Query,
  { snapshot, nowMs }: { snapshot: Pick<CatalogueSnapshot, 'servers' | 'byId'>; nowMs: number },
): Promise<Needs['endingCertificates']> {
  // a certificate that an earlier version of the manifest led to says nothing of one without TLS
  const secured = snapshot.servers.filter(
    ({ manifest: { connection } }) => 'url' in connection && /^(?:https|wss):/.test(connection.url),
  );
  const { rows } = await query<{ server_id: string; valid_until: Date; issuer: string | null; total: number }>(
    `select server_id, valid_until, issuer, (count(*) over ())::int as total from server_certificates
     where valid_until < $1 and server_id = any($2::text[]) order by valid_until, server_id collate "C" limit ${shownNeeds}`,
    [new Date(nowMs + certificateThresholdsDays[0] * dayMs), secured.map(({ id }) => id)],
  );
  return {
    total: rows[0]?.total ?? 0,
    items: rows.map(({ server_id: serverId, valid_until: validUntil, issuer }) => ({
      serverId,
      name: snapshot.byId.get(serverId)?.manifest.name ?? serverId,
      issuer,
      validUntil: validUntil.toISOString(),
      hasExpired: validUntil.getTime() <= nowMs,
    })),
  };
}
