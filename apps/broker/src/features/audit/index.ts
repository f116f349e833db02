export { createAuditReader, type AuditReader } from './audit-reader.ts';
export { describeChanges, describeActor } from './audit-file.ts';
export { mountAuditRoutes } from './routes.ts';
