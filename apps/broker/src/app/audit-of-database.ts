import { createAuditReader, type AuditReader } from '#features/audit/index.ts';
import { emailsOf, usersOfAddress } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

export const auditOf = (query: Query): AuditReader =>
  createAuditReader({
    query,
    emailsOf: (userIds) => emailsOf(query, userIds),
    usersOfAddress: (prefix) => usersOfAddress(query, prefix),
  });
