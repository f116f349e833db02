import type { Query } from '#platform/db/database.ts';
import type { Charges, Hold } from './charges.ts';
import { freeForAll, type EntitlementPolicy } from './entitlement.ts';
import type { UsageRow } from './usage-row.ts';

/** Writes usage rows. app.ts passes it in, because the usage feature imports billing. */
export type UsageRows = {
  /** Queues the row and returns at once; the next flush writes it. */
  record(row: UsageRow): void;
  /** Writes rows with `query`, inside its transaction. */
  insert(query: Query, rows: readonly UsageRow[]): Promise<void>;
};

export type Billing = {
  readonly charges: Charges;
  readonly entitlement: EntitlementPolicy;
};

const free: Hold = { kind: 'hold', credits: 0, settle() {}, release() {} };

/** Decides which servers a user may use and what a call costs. It charges nothing: every hold is of 0 credits. */
export function createBilling({ usage }: { usage: Pick<UsageRows, 'record'> }): Billing {
  return {
    charges: { hold: () => free, record: (row) => usage.record(row) },
    entitlement: freeForAll,
  };
}
