import {
  getAuditCsv,
  getAuditLines,
  listAudit,
  maxAuditFileRows,
  type AuditFilter,
} from '@souk/contract/admin/audit.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { csvOf, csvType } from '#platform/http/answers/csv.ts';
import type { Downloads } from '#platform/http/answers/downloads.ts';
import type { Router } from '#platform/http/router.ts';
import { auditColumns, linesOf } from './audit-file.ts';
import type { AuditReader } from './audit-reader.ts';

const linesType = 'application/x-ndjson; charset=utf-8';

export function mountAuditRoutes(
  router: Router,
  { audit, query, downloads, clock }: { audit: AuditReader; query: Query; downloads: Downloads; clock: Clock },
): void {
  router.route(listAudit, async ({ query: wanted }) => ({ success: true as const, ...(await audit.list(wanted)) }));

  /** Records the export, since the file leaves the installation. */
  async function recordExport(actorId: string, format: string, { from, to, ...filter }: AuditFilter): Promise<void> {
    const details = { format, ...filter, ...(from && { from: from.from }), ...(to && { before: to.to }) };
    const entry = { actorId, action: 'audit.exported' as const, subject: 'audit log', details };
    await writeAuditWith(query, entry, new Date(clock.now()));
  }

  router.route(getAuditCsv, async ({ caller, query: filter, reply }) => {
    await recordExport(caller.userId, 'CSV', filter);
    const pieces = csvOf(auditColumns, audit.all(filter, maxAuditFileRows));
    return downloads.send(reply, caller.userId, { name: 'audit.csv', type: csvType, pieces });
  });

  router.route(getAuditLines, async ({ caller, query: filter, reply }) => {
    await recordExport(caller.userId, 'JSON lines', filter);
    const pieces = linesOf(audit.all(filter, maxAuditFileRows));
    return downloads.send(reply, caller.userId, { name: 'audit.jsonl', type: linesType, pieces });
  });
}
