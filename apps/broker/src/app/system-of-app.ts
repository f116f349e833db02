import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { stripeWebhookPath } from '#adapters/stripe/stripe-sandbox.ts';
import { offersEditedHere, readLedgerCheck, readWebhookFigures } from '#features/billing/index.ts';
import type { Notices } from '#features/notices/index.ts';
import { createSystem, type SystemView } from '#features/system/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { KeyRing } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { ForwardedRequests } from '#platform/http/connections/forwarded-requests.ts';
import type { Jobs } from '#platform/jobs/create-jobs.ts';
import { migrations } from '../migrations.ts';
import { version } from '../version.ts';

/** Collects what the tab "System" and `souk system` show, and describes this broker to the others. */
export function systemOfApp(parts: {
  db: Database;
  config: Config;
  jobs: Pick<Jobs, 'list'>;
  weakKey: string | undefined;
  vault: Pick<KeyRing, 'ids' | 'sealingId'>;
  notices: Pick<Notices, 'figures'>;
  callsPerSecond: () => number;
  forwarded: ForwardedRequests;
  runChecks: (() => Promise<ConnectionCheck[]>) | undefined;
  clock: Clock;
}): SystemView {
  const { db, config, clock } = parts;
  const startedAt = new Date(clock.now());
  db.brokers.describe(() => {
    const lagMs = performance.now() - db.deliveredUntilMs();
    return {
      version,
      since: startedAt,
      callsPerSecond: parts.callsPerSecond(),
      lagMs: Number.isFinite(lagMs) ? lagMs : null,
      keyIds: parts.vault.ids,
      sealingId: parts.vault.sealingId(),
    };
  });
  return createSystem({
    ...parts,
    migrations,
    version,
    startedAt,
    forwardedRequests: parts.forwarded.count,
    webhookAddress: `${config.publicUrl}${stripeWebhookPath}`,
    readWebhook: () => readWebhookFigures(db.query),
    readNotices: () => parts.notices.figures(),
    readLedgerCheck: () => readLedgerCheck(db.query),
    offersEditedHere: async () => (await offersEditedHere(db.query)).map(({ name }) => name),
  });
}
