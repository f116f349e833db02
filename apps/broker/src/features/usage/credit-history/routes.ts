import { getCreditHistory, getCreditHistoryCsv, maxCsvRows } from '@souk/contract/billing-history.ts';
import type { Query } from '#platform/db/database.ts';
import { asCsvFile, csvOf } from '#platform/http/csv.ts';
import { periodOf } from '#platform/http/period.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { countCreditUsage, readCreditUsage } from './read-credit-usage.ts';

/** What the calls of a person cost, as pages and as a file. @param livemode whose credits count: see the ledger */
export function mountCreditHistoryRoutes(
  router: Router,
  { query, livemode }: { query: Query; livemode: boolean },
): void {
  router.route(getCreditHistory, async ({ caller, params, query: { page, limit, ...dates } }) => {
    requireOwn(caller, params);
    const of = { userId: caller.userId, livemode, period: periodOf(dates) };
    const [usage, total] = await Promise.all([
      readCreditUsage(query, of, { limit, offset: (page - 1) * limit }),
      countCreditUsage(query, of),
    ]);
    const pagination = { page, pageSize: limit, total, pages: Math.ceil(total / limit) };
    return { success: true as const, data: { usage, pagination } };
  });

  router.route(getCreditHistoryCsv, async ({ caller, params, query: dates, reply }) => {
    requireOwn(caller, params);
    const of = { userId: caller.userId, livemode, period: periodOf(dates) };
    const usage = await readCreditUsage(query, of, { limit: maxCsvRows, offset: 0 });
    asCsvFile(reply, 'credit-history.csv');
    return csvOf(
      ['id', 'timestamp', 'service', 'tool', 'credits'],
      usage.map((one) => [one.id, one.timestamp, one.mcpId, one.toolName, one.amount]),
    );
  });
}
