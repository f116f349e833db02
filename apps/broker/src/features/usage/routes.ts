import { maxCsvRows } from '@souk/contract/billing/billing-history.ts';
import { getCallsCsv, getUsageStats, listCalls, type Call } from '@souk/contract/usage.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { inPages } from '#platform/db/in-pages.ts';
import { csvOf, csvType, type Columns } from '#platform/http/answers/csv.ts';
import type { Downloads } from '#platform/http/answers/downloads.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { readCalls, type NameClients } from './read-calls.ts';
import { mountCreditHistoryRoutes } from './credit-history/routes.ts';
import { readUsageStats } from './daily/read-stats.ts';

const columns: Columns<Call> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  client: ({ client }) => client.name,
  service: ({ serverId }) => serverId,
  kind: ({ kind }) => kind,
  name: ({ name }) => name,
  durationMs: ({ durationMs }) => durationMs,
  outcome: ({ outcome }) => outcome,
  reason: ({ reason }) => reason,
  credits: ({ credits }) => credits,
  count: ({ count }) => count,
};

export function mountUsageRoutes(
  router: Router,
  options: { query: Query; clock: Clock; nameClients: NameClients; livemode: boolean; downloads: Downloads },
): void {
  const { query, clock, nameClients, downloads } = options;
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
    const pages = inPages<Call>(async (last, limit) => {
      const cursor = last && { at: new Date(last.at), id: last.id };
      return (await readCalls(query, caller.userId, { ...filter, cursor, limit }, nameClients)).calls;
    }, maxCsvRows);
    const pieces = csvOf(columns, pages);
    return downloads.send(reply, caller.userId, { name: 'calls.csv', type: csvType, pieces });
  });

  mountCreditHistoryRoutes(router, options);
}
