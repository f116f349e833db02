import type { Catalogue } from '#features/catalogue/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import { createCallLog, createUsageWriter, type RecentUse } from '#features/usage/index.ts';
import { readOwnBackup } from '#platform/backup/own-backups.ts';
import { createCallRate } from '#platform/call-rate.ts';
import { createMetrics } from '../metrics.ts';
import type { Refusals } from '../refusals/refusals.ts';
import { readSystemFigures } from '../system-figures.ts';
import type { Platform } from './open-platform.ts';

export async function joinUsage(
  { config, db, clock, log, telemetry }: Platform,
  {
    catalogue,
    upstreams,
    recentUse,
    refusals,
  }: { catalogue: Catalogue; upstreams: Upstreams; recentUse: RecentUse; refusals: Refusals },
) {
  const areWanted = config.metrics !== undefined || telemetry !== undefined;
  const sources = {
    ...upstreams,
    catalogue,
    db,
    usageWaiting: () => usage.waiting(),
    refusals: refusals.counts,
    backupTakenAt: config.backup && (async () => (await readOwnBackup(db.query)).last?.at),
    clock,
    readSystem: () => readSystemFigures(db, config),
  };
  const metrics = areWanted ? await createMetrics(sources) : undefined;
  if (metrics) telemetry?.sendMetrics(metrics.read);
  const callLog = createCallLog(log);
  const callRate = createCallRate();
  const usage = createUsageWriter({
    query: db.query,
    log,
    onRows(rows) {
      callLog.note(rows);
      recentUse.note(rows);
      callRate.note(rows.reduce((sum, { count = 1 }) => sum + count, 0));
      metrics?.note(rows);
    },
  });
  return { usage, callLog, callRate, metrics };
}
