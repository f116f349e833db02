import { auditEntrySchema, auditFilterSchema, maxAuditEntries, withValidPeriod } from '@souk/contract/admin/audit.ts';
import { z } from 'zod';
import type { AuditReader } from '#features/audit/index.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';

export const auditWantedSchema = withValidPeriod(
  auditFilterSchema.extend({ limit: z.coerce.number().int().min(1).max(maxAuditEntries).default(50) }),
);
export const auditListedSchema = z.object({ entries: z.array(auditEntrySchema), hasMore: z.boolean() });
type AuditListed = z.infer<typeof auditListedSchema>;

/** `souk audit`: the newest matching rows of the audit log, with the filters of the administrators' screen. */
export function auditCommand(audit: AuditReader): OperatorCommands {
  return {
    'audit.list': async (args): Promise<AuditListed> => {
      const { entries, older } = await audit.list(auditWantedSchema.parse(args));
      return { entries, hasMore: older !== null };
    },
  };
}
