export { usageContributor } from './account-contributor.ts';
export { dropOldPartitions } from './drop-old-partitions.ts';
export { ensurePartitions } from './ensure-partitions.ts';
export { createCallLog } from './log-calls.ts';
export { usageByDayContributor } from './daily/account-contributor.ts';
export { mergeUsage } from './daily/merge-usage.ts';
export { mountUsageRoutes } from './routes.ts';
export { usageMigrations } from './migrations.ts';
export { createUsageWriter, type UsageWriter } from './usage-writer.ts';
