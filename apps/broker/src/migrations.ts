import { billingMigrations } from '#features/billing/index.ts';
import { catalogueMigrations } from '#features/catalogue/index.ts';
import { upstreamMigrations } from '#features/upstreams/index.ts';
import { diagnosticsMigrations } from '#features/diagnostics/index.ts';
import { gatewayMigrations } from '#features/gateway/index.ts';
import { identityMigrations } from '#features/identity/index.ts';
import { usageMigrations } from '#features/usage/index.ts';
import { auditMigrations } from '#platform/audit/audit-log.ts';
import { erasureMigrations } from '#platform/backup/erased-list.ts';
import { masterKeyMigrations } from '#platform/crypto/master-key-state.ts';
import { stripeSandboxMigrations } from '#adapters/stripe/stripe-sandbox.ts';
import type { Migration } from '#platform/db/database.ts';
import { liveBrokerMigrations } from '#platform/db/live-brokers.ts';
import { noticeMigrations } from '#platform/notices/outbox.ts';
import { versionMigrations } from '#platform/db/product-versions.ts';

/** The migrations of every feature, ordered by the references between their tables. */
export const migrations: readonly Migration[] = [
  ...versionMigrations,
  ...liveBrokerMigrations,
  ...masterKeyMigrations,
  ...erasureMigrations,
  ...noticeMigrations,
  ...auditMigrations,
  ...identityMigrations,
  ...diagnosticsMigrations,
  ...catalogueMigrations,
  ...usageMigrations,
  ...billingMigrations,
  ...upstreamMigrations,
  ...gatewayMigrations,
  ...stripeSandboxMigrations,
];
