import { maxCsvRows } from '@souk/contract/billing-history.ts';
import { getCallsCsv, getUsageStats, listCalls } from '@souk/contract/usage.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { asCsvFile, csvOf } from '#platform/http/csv.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { readCalls, type NameClients } from './read-calls.ts';
import { mountCreditHistoryRoutes } from './credit-history/routes.ts';
import { readUsageStats } from './daily/read-stats.ts';

export function mountUsageRoutes(
  router: Router,
  { query, clock, nameClients, livemode }: { query: Query; clock: Clock; nameClients: NameClients; livemode: boolean },
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

  router.route(getCallsCsv, async ({ caller, params, query: filter, reply }) => {
    requireOwn(caller, params);
    const { calls } = await readCalls(query, caller.userId, { ...filter, limit: maxCsvRows }, nameClients);
    asCsvFile(reply, 'calls.csv');
    return csvOf(
      ['id', 'at', 'client', 'service', 'kind', 'name', 'durationMs', 'outcome', 'reason', 'credits', 'count'],
      calls.map((call) => [
        call.id,
        call.at,
        call.client.name,
        call.serverId,
        call.kind,
        call.name,
        call.durationMs,
        call.outcome,
        call.reason,
        call.credits,
        call.count,
      ]),
    );
  });

  mountCreditHistoryRoutes(router, { query, livemode });
}
