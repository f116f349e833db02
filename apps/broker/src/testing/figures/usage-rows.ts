import type { Database } from '#platform/db/database.ts';
import type { TestApp } from '../start-app.ts';

/** What the product wrote of one call. */
export type UsageRow = {
  callId: string;
  /** null for what belongs to no server. */
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

/** Free calls are written by the one, paid calls by the other. */
const untilWritten = ({ usage, billing }: Written) => Promise.all([usage.flush(), billing.ledger.flush()]);

const columns = `call_id as "callId", server_id as "serverId", kind, name, outcome, reason, credits,
  duration_ms as "durationMs", rounds`;

/** The rows of a database, oldest first; `userId` selects one user's. */
export async function readUsageRows(db: Pick<Database, 'query'>, userId?: string): Promise<UsageRow[]> {
  const { rows } = await db.query<UsageRow>(
    `select ${columns} from usage_events
     where $1::uuid is null or user_id = $1
     order by created_at, call_id`,
    [userId ?? null],
  );
  return rows;
}

/** The same of a running product, with the calls whose rows still wait to be written. */
export async function usageRows(app: Written, userId?: string): Promise<UsageRow[]> {
  await untilWritten(app);
  return readUsageRows(app.db, userId);
}

/** The same, and forgets them: less work than usageRows and clearUsageRows. They come in no order. */
export async function takeUsageRows(app: Written): Promise<UsageRow[]> {
  await untilWritten(app);
  return (await app.db.query<UsageRow>(`delete from usage_events returning ${columns}`)).rows;
}

/** Forgets every call so far, so that a test reads its own alone. */
export async function clearUsageRows(app: Written): Promise<void> {
  await untilWritten(app);
  await app.db.query('delete from usage_events');
}
