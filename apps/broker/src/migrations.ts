import { billingMigrations } from '#features/billing/index.ts';
import { catalogueMigrations } from '#features/catalogue/index.ts';
import { upstreamMigrations } from '#features/upstreams/index.ts';
import { diagnosticsMigrations } from '#features/diagnostics/index.ts';
import { gatewayMigrations } from '#features/gateway/index.ts';
import { identityMigrations } from '#features/identity/index.ts';
import { usageMigrations } from '#features/usage/index.ts';
import { auditMigrations } from '#platform/audit/audit-log.ts';
import { erasedReasonsMigrations } from '#platform/audit/erased-reasons.ts';
import { stripeSandboxMigrations } from '#adapters/stripe/stripe-sandbox.ts';
import type { Migration } from '#platform/db/database.ts';

/** The migrations of every feature, ordered by the references between their tables. */
export const migrations: readonly Migration[] = [
  ...auditMigrations,
  ...erasedReasonsMigrations,
  ...identityMigrations,
  ...diagnosticsMigrations,
  ...catalogueMigrations,
  ...billingMigrations,
  ...upstreamMigrations,
  ...usageMigrations,
  ...gatewayMigrations,
  ...stripeSandboxMigrations,
];
