import { writeCausedAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Caller } from '#platform/http/caller.ts';

/** Limit per user, because audit rows are kept for years. */
const maxRowsADay = 20;

/** Records users who called endpoints of administrators. */
export function createRefusedAudit(db: Pick<Database, 'kysely'>, clock: Clock) {
  return async ({ userId, kind }: Caller, call: string, address: string): Promise<void> => {
    const entry: AuditEntry = {
      actorId: userId,
      action: 'administration.refused',
      subject: call,
      details: { token: kind },
      address,
    };
    const source = { source: `refused:${userId}`, subject: userId, maxRowsADay };
    await db.kysely.transaction().execute((tx) => writeCausedAudit(tx, source, [entry], new Date(clock.now())));
  };
}
