import type { Database } from '#platform/db/database.ts';
import type { TestApp } from '../start-app.ts';

/** Row that the product wrote for a call. */
export type UsageRow = {
  callId: string;
  /** null if the call belongs to no server. */
  serverId: string | null;
  kind: string;
  name: string;
  outcome: string;
  reason: string | null;
  credits: number;
  durationMs: number;
  rounds: number;
};

type Written = Pick<TestApp, 'usage' | 'billing' | 'db'>;

/** Waits until all calls are written: free calls by the one, paid calls by the other. */
const untilWritten = ({ usage, billing }: Written) => Promise.all([usage.flush(), billing.ledger.flush()]);

const columns = `call_id as "callId", server_id as "serverId", kind, name, outcome, reason, credits,
  duration_ms as "durationMs", rounds`;

/** Reads the rows of a database, oldest first; `userId` selects one user's. */
export async function readUsageRows(db: Pick<Database, 'query'>, userId?: string): Promise<UsageRow[]> {
  const { rows } = await db.query<UsageRow>(
    `select ${columns} from usage_events
     where $1::uuid is null or user_id = $1
     order by created_at, call_id`,
    [userId ?? null],
  );
  return rows;
}

/** Reads the rows of a running product, including calls whose rows still wait to be written. */
export async function usageRows(app: Written, userId?: string): Promise<UsageRow[]> {
  await untilWritten(app);
  return readUsageRows(app.db, userId);
}

/** Reads and deletes the rows: less work than usageRows and clearUsageRows. They are in no order. */
export async function takeUsageRows(app: Written): Promise<UsageRow[]> {
  await untilWritten(app);
  return (await app.db.query<UsageRow>(`delete from usage_events returning ${columns}`)).rows;
}

/** Deletes all calls so far, so that a test reads only its own. */
export async function clearUsageRows(app: Written): Promise<void> {
  await untilWritten(app);
  await app.db.query('delete from usage_events');
}
