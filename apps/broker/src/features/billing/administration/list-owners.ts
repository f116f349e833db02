import { ownersPerPage, type listServerOwners } from '@souk/contract/admin/servers.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import type { Query } from '#platform/db/database.ts';
import { isRunningSql, runningValues } from '../entitlement/running-sql.ts';

type Row = {
  total: number;
  id: string | null;
  user_id: string;
  email: string;
  display_name: string;
  kind: 'purchase' | 'trial';
  period_ends_at: Date | null;
};

const running = isRunningSql({ now: '$3', renewedSince: '$4' });

/** Lists the users who bought a server or are trying it, the oldest first. Each page is one statement. */
export async function listOwners(
  query: Query,
  { livemode, nowMs, serverId, page }: { livemode: boolean; nowMs: number; serverId: string; page: number },
): Promise<Omit<Answer<typeof listServerOwners>, 'success'>> {
  const { rows } = await query<Row>(
    `with owning as (
       select id, user_id, kind, period_ends_at from access_grants
       where server_id = $1 and livemode = $2 and kind <> 'rental' and ${running})
     select counted.total, paged.*
     from (select count(*)::int as total from owning) counted
       left join (
         select g.*, u.email, u.display_name from (select * from owning order by id limit $5 offset $6) g
           join users u on u.id = g.user_id) paged on true
     order by paged.id`,
    [serverId, livemode, ...runningValues(nowMs), ownersPerPage, (page - 1) * ownersPerPage],
  );
  const total = rows[0]?.total ?? 0;
  const owners = rows.flatMap(({ id, user_id, email, display_name, kind, period_ends_at }) => {
    if (id === null) return [];
    const user = { id: user_id, email, displayName: display_name };
    return [{ id, user, kind, endsAt: period_ends_at?.toISOString() ?? null }];
  });
  const pages = Math.max(1, Math.ceil(total / ownersPerPage));
  return { owners, pagination: { page, limit: ownersPerPage, total, pages } };
}
