import { getUsageStats, listCalls } from '@souk/contract/usage.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { readCalls, type NameClients } from './read-calls.ts';
import { readUsageStats } from './daily/read-stats.ts';

export function mountUsageRoutes(
  router: Router,
  { query, clock, nameClients }: { query: Query; clock: Clock; nameClients: NameClients },
): void {
  router.route(getUsageStats, async ({ caller, params, query: { days } }) => {
    requireOwn(caller, params);
    const data = await readUsageStats(query, caller.userId, days, clock.now());
    return { success: true as const, data };
  });

  router.route(listCalls, async ({ caller, params, query: filter }) => {
    requireOwn(caller, params);
    return { success: true as const, ...(await readCalls(query, caller.userId, filter, nameClients)) };
  });
}
