import { listTables } from '#platform/backup/list-tables.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';

/** Accounts per run of the job. The next run continues. */
const mostAccounts = 1_000;

/** Tables that refer to a subscription at the provider and not to the user. */
const subscriptionTables = [
  'subscription_invoices',
  'subscription_invoice_lines',
  'subscription_syncs',
  'price_move_items',
];

/**
 * Deletes the bookkeeping of accounts that were deleted before a time: every row with their id, and the account.
 * @returns the number of accounts
 */
export async function removeClosedBooks(db: Database, before: Date, log: Log): Promise<number> {
  const { rows } = await db.query<{ id: string }>(
    'select id from users where deleted_at < $1 order by deleted_at limit $2',
    [before, mostAccounts],
  );
  if (rows.length === 0) return 0;
  const tables = await tablesOfUsers(db.query);
  let removed = 0;
  for (const { id } of rows) {
    try {
      await db.transaction((query) => removeBooks(query, tables, id));
      removed++;
    } catch (error) {
      // a failure for one account must not keep the books of the others
      log.error({ err: error, userId: id }, 'the books of a deleted account could not be deleted');
    }
  }
  return removed;
}

/** Lists the tables with a user's id, each before the tables that it refers to. */
async function tablesOfUsers(query: Query): Promise<string[]> {
  const tables = await listTables(query);
  return tables
    .filter(({ columns }) => columns.some(({ name }) => name === 'user_id'))
    .map(({ name }) => name)
    .toReversed();
}

async function removeBooks(query: Query, tables: readonly string[], userId: string): Promise<void> {
  await query(`select set_config('souk.closed_books', $1, true)`, [userId]);
  for (const table of subscriptionTables)
    await query(
      `delete from ${table} where payment_id in (
         select payment_id from subscriptions where user_id = $1 union select payment_id from access_grants where user_id = $1)`,
      [userId],
    );
  for (const table of tables) await query(`delete from ${table} where user_id = $1`, [userId]);
  await query('delete from users where id = $1', [userId]);
}
