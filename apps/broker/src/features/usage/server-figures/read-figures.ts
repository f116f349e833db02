import type { ServerFigures } from '@souk/contract/admin/servers.ts';
import { readServerRevenue } from '#features/billing/index.ts';
import { presentFailure, type CatalogueServer } from '#features/catalogue/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { everyDay, firstShownDay, shownDays } from '../server-record/every-day.ts';
import { readMonth } from './read-month.ts';

/** Limit of the contract. */
const maxChildren = 200;

export type FiguresParts = Pick<Upstreams, 'health' | 'watch' | 'childrenOf'> & {
  query: Query;
  countRenters(serverId: string): Promise<number>;
  livemode: boolean;
  currency: string;
  clock: Clock;
};

/** Reads how a server did in the last 30 days, for all users together. @param live the deployed server */
export async function readServerFigures(
  serverId: string,
  live: CatalogueServer | undefined,
  parts: FiguresParts,
): Promise<Omit<ServerFigures, 'success'>> {
  const { query, health, livemode, currency, clock } = parts;
  const since = new Date(`${firstShownDay(clock.now())}T00:00:00Z`);
  const [now, month, revenueCents, renters, days] = await Promise.all([
    live ? readNow(live, parts) : null,
    readMonth(query, serverId, clock.now()),
    readServerRevenue(query, { serverId, livemode, currency, since }),
    parts.countRenters(serverId),
    health.read(serverId, shownDays),
  ]);
  return { now, month: { ...month, revenueCents, currency }, renters, uptime: everyDay(days, clock.now()) };
}

async function readNow(
  server: CatalogueServer,
  { query, watch, childrenOf }: FiguresParts,
): Promise<NonNullable<ServerFigures['now']>> {
  const { rows } = await query<{ checked_at: Date; status_since: Date | null }>(
    'select checked_at, status_since from server_health where server_id = $1',
    [server.id],
  );
  const [checked] = rows;
  return {
    status: server.status,
    ...presentFailure(server, watch.failureOf(server.id)),
    since: checked?.status_since?.toISOString() ?? null,
    lastCheckAt: checked?.checked_at.toISOString() ?? null,
    era: server.era?.verdict ?? null,
    children: childrenOf(server.id).slice(0, maxChildren),
  };
}
