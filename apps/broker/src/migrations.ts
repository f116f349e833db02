import { catalogueMigrations } from '#features/catalogue/index.ts';
import { connectionMigrations } from '#features/connections/index.ts';
import { gatewayMigrations } from '#features/gateway/index.ts';
import { identityMigrations } from '#features/identity/index.ts';
import { usageMigrations } from '#features/usage/index.ts';
import { auditMigrations } from '#platform/audit/audit-log.ts';
import type { Migration } from '#platform/db/database.ts';

/** Every feature's migrations, in the order in which tables refer to each other. */
export const migrations: readonly Migration[] = [
  ...auditMigrations,
  ...identityMigrations,
  ...catalogueMigrations,
  ...connectionMigrations,
  ...usageMigrations,
  ...gatewayMigrations,
];
