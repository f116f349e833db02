import type { UsageRow } from './usage-row.ts';

/** Writes usage rows. app.ts passes it in, because the usage feature imports billing. */
export type UsageRows = {
  /** Queues the row and returns at once; the next flush writes it. */
  record(row: UsageRow): void;
  /** Reports rows of charged calls, which `settle_calls` has written and committed, for counting. */
  reportCharged(rows: readonly UsageRow[]): void;
};
