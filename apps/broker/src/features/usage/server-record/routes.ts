import { getServerRecord } from '@souk/contract/catalogue/server-record.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { Log } from '#platform/log.ts';
import { callsOfServers, percentOf } from './calls-of-servers.ts';
import { everyDay, shownDays } from './every-day.ts';

type Days = Awaited<ReturnType<Upstreams['health']['read']>>;

/** Serves a server's record for visitors, from measurements. */
export function mountServerRecord(
  router: Router,
  options: { catalogue: Catalogue; query: Query; clock: Clock; log: Log } & Pick<Upstreams, 'health'>,
): void {
  const { catalogue, health, query, clock } = options;
  const callsOf = callsOfServers(options);

  router.route(getServerRecord, async ({ params: { serverId } }) => {
    const server = catalogue.snapshot().byId.get(serverId);
    if (!server) throw new SoukError('server_not_found', { message: `MCP server with ID '${serverId}' not found.` });
    const [days, calls, checked] = await Promise.all([
      health.read(serverId, shownDays),
      callsOf(serverId),
      query<{ checked_at: Date | null }>('select checked_at from server_health where server_id = $1', [serverId]),
    ]);
    return {
      lastTestedAt: checked.rows[0]?.checked_at?.toISOString() ?? null,
      era: server.era?.verdict ?? null,
      uptime: uptimeOf(days),
      days: everyDay(days, clock.now()),
      calls,
    };
  });
}

/** The figure is null until a second day has begun: it would cover minutes only. */
function uptimeOf(days: Days) {
  const [first] = days;
  if (!first) return null;
  const up = days.reduce((sum, day) => sum + day.up, 0);
  const checks = days.reduce((sum, day) => sum + day.up + day.down, 0);
  return { since: first.day, percent: days.length > 1 ? percentOf(up, checks) : null };
}
