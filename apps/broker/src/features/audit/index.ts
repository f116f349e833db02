export { createAuditReader, type AuditReader } from './audit-reader.ts';
export { tellChanges, tellWho } from './audit-file.ts';
export { mountAuditRoutes } from './routes.ts';
