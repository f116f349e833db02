export { apiVersion } from './api-version.ts';
export { createStripeSandbox, type SandboxLog, type SandboxOptions, type StripeSandbox } from './create-sandbox.ts';
export { sandboxMigrations } from './storage/migrations.ts';
export { sqlStorage, type Query, type SqlDatabase } from './storage/sql-storage.ts';
export type { Filter, Rows, Storage, StoredRow } from './storage/storage.ts';
