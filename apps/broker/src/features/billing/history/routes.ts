import { decimalsOf } from '@souk/contract/currencies.ts';
import {
  getBillingDashboard,
  getTransactionsCsv,
  listTransactions,
  maxCsvRows,
} from '@souk/contract/billing-history.ts';
import type { Query } from '#platform/db/database.ts';
import { asCsvFile, csvOf } from '#platform/http/csv.ts';
import { periodOf } from '#platform/http/period.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { countTransactions, readTotalSpent, readTransactions } from './read-transactions.ts';

/** Of recentTransactions. */
const maxRecent = 10;
const defaultCurrency = 'USD';

/**
 * What a person has paid and got back, as pages and as a file.
 * @param livemode which transactions are theirs: those of real payments, or those of the sandbox
 */
export function mountBillingHistoryRoutes(
  router: Router,
  { query, livemode }: { query: Query; livemode: boolean },
): void {
  router.route(getBillingDashboard, async ({ caller, params }) => {
    requireOwn(caller, params);
    const { userId } = caller;
    const all = { userId, livemode, period: periodOf({}) };
    const [recentTransactions, totalTransactions] = await Promise.all([
      readTransactions(query, all, { limit: maxRecent, offset: 0 }),
      countTransactions(query, all),
    ]);
    // all prices are in one currency; should an operator have changed it, the sum is that of the newest
    const currency = recentTransactions[0]?.currency ?? defaultCurrency;
    const totalSpent = await readTotalSpent(query, { userId, livemode, currency });
    return { success: true as const, data: { totalSpent, currency, totalTransactions, recentTransactions } };
  });

  router.route(listTransactions, async ({ caller, params, query: { page, pageSize, startDate, endDate, ...kind } }) => {
    requireOwn(caller, params);
    const filter = { userId: caller.userId, livemode, period: periodOf({ startDate, endDate }), ...kind };
    const [transactions, total] = await Promise.all([
      readTransactions(query, filter, { limit: pageSize, offset: (page - 1) * pageSize }),
      countTransactions(query, filter),
    ]);
    const pagination = { page, pageSize, total, pages: Math.ceil(total / pageSize) };
    return { success: true as const, data: { transactions, pagination } };
  });

  router.route(getTransactionsCsv, async ({ caller, params, query: { startDate, endDate, ...kind }, reply }) => {
    requireOwn(caller, params);
    const filter = { userId: caller.userId, livemode, period: periodOf({ startDate, endDate }), ...kind };
    const transactions = await readTransactions(query, filter, { limit: maxCsvRows, offset: 0 });
    asCsvFile(reply, 'transactions.csv');
    return csvOf(
      ['id', 'createdAt', 'type', 'status', 'description', 'service', 'amount', 'currency', 'receiptUrl'],
      transactions.map((one) => [
        one.id,
        one.createdAt,
        one.type,
        one.status,
        one.description,
        one.mcpId,
        // as people write money; never negative, the type says what came back
        (one.amount / 10 ** decimalsOf(one.currency)).toFixed(decimalsOf(one.currency)),
        one.currency,
        one.receiptUrl,
      ]),
    );
  });
}
