import { decimalText } from '@souk/contract/billing/currencies.ts';
import {
  getBillingDashboard,
  getTransactionsCsv,
  listTransactions,
  maxCsvRows,
  type Transaction,
} from '@souk/contract/billing/billing-history.ts';
import type { Query } from '#platform/db/database.ts';
import { inPages } from '#platform/db/in-pages.ts';
import { csvOf, csvType, type Columns } from '#platform/http/answers/csv.ts';
import type { Downloads } from '#platform/http/answers/downloads.ts';
import { periodOf } from '#platform/http/period.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { countTransactions, hasTotals, readTotalSpent, readTransactions } from './read-transactions.ts';

const maxRecent = 10;
const defaultCurrency = 'USD';

const columns: Columns<Transaction> = {
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  type: ({ type }) => type,
  status: ({ status }) => status,
  description: ({ description }) => description,
  service: ({ mcpId }) => mcpId,
  // decimal, never negative: refunds have their own type
  amount: ({ amount, currency }) => decimalText(amount, currency),
  currency: ({ currency }) => currency,
  receiptUrl: ({ receiptUrl }) => receiptUrl,
};

/** Columns for users with tax or discounts: last, so that programs that read the other columns still work. */
const columnsOfTotals: Columns<Transaction> = {
  subtotal: ({ amount, currency, totals }) => decimalText(totals?.subtotal ?? amount, currency),
  discount: ({ currency, totals }) => decimalText(totals?.discount ?? 0, currency),
  tax: ({ currency, totals }) => decimalText(totals?.tax ?? 0, currency),
};

/** The bank's decision for the user; `won` and `lost` are from the shop's side. */
const disputeWords: Readonly<Record<NonNullable<Transaction['dispute']>['state'], string>> = {
  inquiry: 'inquiry',
  'to-answer': 'open',
  'under-review': 'open',
  won: 'payment stands',
  lost: 'refunded by the bank',
};

const columnOfDisputes: Columns<Transaction> = { dispute: ({ dispute }) => dispute && disputeWords[dispute.state] };

/** Mounts a user's payments and refunds, as pages and as a file. @param livemode real payments, or those of the sandbox */
export function mountBillingHistoryRoutes(
  router: Router,
  { query, livemode, downloads }: { query: Query; livemode: boolean; downloads: Downloads },
): void {
  router.route(getBillingDashboard, async ({ caller, params }) => {
    requireOwn(caller, params);
    const { userId } = caller;
    const all = { userId, livemode, period: periodOf({}) };
    const [recentTransactions, totalTransactions] = await Promise.all([
      readTransactions(query, all, { limit: maxRecent, offset: 0 }),
      countTransactions(query, all),
    ]);
    // all prices are in one currency; if an operator has changed it, the sum is that of the newest
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
    const pages = inPages<Transaction>((last, limit) => {
      const after = last && { at: new Date(last.createdAt), id: last.id };
      return readTransactions(query, filter, { limit, after });
    }, maxCsvRows);
    const totals = (await hasTotals(query, filter)) ? columnsOfTotals : {};
    const pieces = csvOf({ ...columns, ...totals, ...columnOfDisputes }, pages);
    return downloads.send(reply, caller.userId, { name: 'transactions.csv', type: csvType, pieces });
  });
}
