import { shownNeeds, type Needs } from '@souk/contract/admin/overview.ts';
import type { CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';
import type { IssuerPlace } from './issuer-place.ts';

/** Lists deployed servers whose authorization server an administrator has to confirm, the longest waiting first. */
export async function readSignInsToConfirm(
  query: Query,
  { servers, byId }: Pick<CatalogueSnapshot, 'servers' | 'byId'>,
): Promise<Needs['signInsToConfirm']> {
  const concerned = servers.filter(({ manifest }) => manifest.auth.type === 'oauth').map(({ id }) => id);
  const { rows } = await query<{ serverId: string; place: IssuerPlace; since: Date; total: number }>(
    `select server_id as "serverId", refused_place as place, refused_at as since, (count(*) over ())::int as total from upstream_issuers
     where refused_place is not null and server_id = any($1::text[])
     order by refused_at, server_id collate "C" limit ${shownNeeds}`,
    [concerned],
  );
  return {
    total: rows[0]?.total ?? 0,
    items: rows.map(({ serverId, place: { issuer }, since }) => ({
      serverId,
      name: byId.get(serverId)?.manifest.name ?? serverId,
      issuer,
      since: since.toISOString(),
    })),
  };
}
