import { rentersPerPage, type listServerRenters } from '@souk/contract/admin/servers.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import type { Query } from '#platform/db/database.ts';
import { isRunningSql, runningValues } from '../entitlement/running-sql.ts';
import { presentRefund, refundSumSql, type RefundColumns } from '../shop/refunds/refundable-sql.ts';

type Row = RefundColumns & {
  total: number;
  id: string | null;
  user_id: string;
  email: string;
  display_name: string;
  source: 'payment' | 'administrator';
  period_ends_at: Date | null;
};

const running = isRunningSql({ now: '$3', renewedSince: '$4' });

/** Lists a server's current renters with the refundable amount of each, the oldest first. Each page is one statement. */
export async function listRenters(
  query: Query,
  { livemode, nowMs, serverId, page }: { livemode: boolean; nowMs: number; serverId: string; page: number },
): Promise<Pick<Answer<typeof listServerRenters>, 'renters' | 'pagination'>> {
  const { rows } = await query<Row>(
    `with renting as (
       select id, user_id, source, period_ends_at, payment_id from access_grants
       where server_id = $1 and livemode = $2 and kind = 'rental' and ${running})
     select counted.total, paged.*, r.*
     from (select count(*)::int as total from renting) counted
       left join (
         select g.*, u.email, u.display_name from (select * from renting order by id limit $5 offset $6) g
           join users u on u.id = g.user_id) paged on true
       left join lateral (${refundSumSql('paged.payment_id', '$3')}) r on true
     order by paged.id`,
    [serverId, livemode, ...runningValues(nowMs), rentersPerPage, (page - 1) * rentersPerPage],
  );
  const total = rows[0]?.total ?? 0;
  const renters = rows.flatMap(({ id, user_id, email, display_name, source, period_ends_at, ...refund }) => {
    if (id === null) return [];
    const user = { id: user_id, email, displayName: display_name };
    const endsAt = period_ends_at?.toISOString() ?? null;
    return [{ rentalId: id, user, source, endsAt, ...presentRefund(refund) }];
  });
  const pages = Math.max(1, Math.ceil(total / rentersPerPage));
  return { renters, pagination: { page, limit: rentersPerPage, total, pages } };
}
