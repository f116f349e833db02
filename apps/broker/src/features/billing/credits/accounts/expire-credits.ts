import type { Database, Query } from '#platform/db/database.ts';
import { tidyAccounts } from './accounts.ts';

const accountsPerBatch = 200;

/**
 * Removes expired credits from unused accounts, so that figures do not count them. This does not affect what users may spend:
 * expiry is checked at each use.
 */
export async function expireCredits(db: Pick<Database, 'transaction'>, livemode: boolean): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const ids = await db.transaction(async (query) => {
      const due = await lockDue(query, livemode, after);
      if (due.length > 0) await tidyAccounts(query, livemode, due);
      return due;
    });
    const last = ids.at(-1);
    if (ids.length < accountsPerBatch || last === undefined) return;
    after = last;
  }
}

/** Skips accounts that another transaction has locked, since it tidies them itself. */
async function lockDue(query: Query, livemode: boolean, after: string): Promise<string[]> {
  const { rows } = await query<{ user_id: string }>(
    `select user_id from credit_accounts
     where livemode = $1 and next_expiry <= now() and user_id > $2 order by user_id limit $3 for no key update skip locked`,
    [livemode, after, accountsPerBatch],
  );
  return rows.map((row) => row.user_id);
}
