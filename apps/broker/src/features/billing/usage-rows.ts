import type { Query } from '#platform/db/database.ts';
import type { UsageRow } from './usage-row.ts';

/** Writes usage rows. app.ts passes it in, because the usage feature imports billing. */
export type UsageRows = {
  /** Queues the row and returns at once; the next flush writes it. */
  record(row: UsageRow): void;
  /** Writes rows with `query`, inside its transaction. Rows that are there stay as they are. */
  insert(query: Query, rows: readonly UsageRow[]): Promise<void>;
  /** Shows rows that `insert` has written to those who count calls, once they are committed. */
  tell(rows: readonly UsageRow[]): void;
};
