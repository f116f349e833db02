import {
  getCreditHistory,
  getCreditHistoryCsv,
  maxCsvRows,
  type CreditUsage,
} from '@souk/contract/billing/billing-history.ts';
import type { Query } from '#platform/db/database.ts';
import { inPages } from '#platform/db/in-pages.ts';
import { csvOf, csvType, type Columns } from '#platform/http/answers/csv.ts';
import type { Downloads } from '#platform/http/answers/downloads.ts';
import { periodOf } from '#platform/http/period.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { countCreditUsage, readCreditUsage } from './read-credit-usage.ts';

const columns: Columns<CreditUsage> = {
  id: ({ id }) => id,
  timestamp: ({ timestamp }) => timestamp,
  service: ({ mcpId }) => mcpId,
  tool: ({ toolName }) => toolName,
  credits: ({ amount }) => amount,
};

/** Serves what a user's calls cost, as pages and as a file. @param livemode whether credits of real payments count, see the ledger */
export function mountCreditHistoryRoutes(
  router: Router,
  { query, livemode, downloads }: { query: Query; livemode: boolean; downloads: Downloads },
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
    const pages = inPages<CreditUsage>((last, limit) => {
      const after = last && { at: new Date(last.timestamp), id: last.id };
      return readCreditUsage(query, of, { limit, offset: 0, after });
    }, maxCsvRows);
    const pieces = csvOf(columns, pages);
    return downloads.send(reply, caller.userId, { name: 'credit-history.csv', type: csvType, pieces });
  });
}
