import { isEventMissed } from '#features/billing/index.ts';
import { createServerIndex } from '#features/catalogue/index.ts';
import { serversUsedTogether, useOfServers } from '#features/usage/index.ts';
import { createOwnBackups } from '#platform/backup/own-backups.ts';
import { createJobs } from '#platform/jobs/create-jobs.ts';
import type { App, AppOptions } from './app-types.ts';
import { findAlerts } from './app/alerts-of-app.ts';
import { joinFeatures } from './app/join-features.ts';
import { lifecycleOf } from './app/lifecycle.ts';
import { mountRoutes } from './app/mount-routes.ts';
import { mountWeb } from './app/mount-web.ts';
import { openDoor } from './app/open-door.ts';
import { openPlatform, type Platform } from './app/open-platform.ts';
import { scheduleJobs } from './app/schedule-jobs.ts';
import { systemOfApp } from './app/system-of-app.ts';
import { removeOld } from './retention/remove-old.ts';

/** Composes the broker: builds the features, schedules their jobs, opens the door and mounts the routes. */
export async function createApp(options: AppOptions): Promise<App> {
  const platform = await openPlatform(options);
  const { config, log, clock, db } = platform;
  const { query } = db;
  const features = await joinFeatures(platform, options);
  const { catalogue, billing, gateway, notices, callRate, weakKey } = features;

  const checkAlerts = async () =>
    notices.recordAlerts(
      await findAlerts({
        system,
        overview: shown.overview,
        servers: () => catalogue.snapshot().servers,
        isEventMissed: (since) => isEventMissed(query, billing.livemode, since, new Date(clock.now())),
        nowMs: clock.now(),
      }),
    );
  const jobs = createJobs({ db, log });
  const backup = backupsOfApp(platform, options.writeBackup);
  const retention = { removeOld: () => removeOld({ db, config, clock, log }) };
  await scheduleJobs(jobs, { ...features, db, clock, backup, checkAlerts, retention });

  const door = await openDoor(platform, features);
  const system = systemOfApp({
    db,
    config,
    jobs,
    notices,
    weakKey,
    vault: platform.vault,
    callsPerSecond: callRate.perSecond,
    forwarded: door.forwarded,
    runChecks: options.systemChecks,
    clock,
  });
  const popularity = useOfServers({ query, clock, log });
  const indexOf = createServerIndex(popularity);
  const usedTogether = serversUsedTogether({ query, clock, log });
  const shown = await mountRoutes(door, platform, { ...features, system, indexOf, usedTogether });
  const { welcomeCredits } = billing;
  await mountWeb(door, platform, { folder: options.webFolder, catalogue, indexOf, gateway, welcomeCredits });
  const { drainMs } = options;
  const { server, router } = door;
  return {
    ...features,
    system,
    ...shown,
    checkAlerts,
    server,
    router,
    db,
    vault: platform.vault,
    ...lifecycleOf(platform, { ...features, door, drainMs, jobs, popularity }),
  };
}

/** Returns the job that makes automatic backups; undefined if they are off. */
function backupsOfApp({ config, db, clock, log }: Platform, write: AppOptions['writeBackup']) {
  if (!config.backup || !write) return undefined;
  const { dir: folder, keep, everySeconds } = config.backup;
  const backups = createOwnBackups({ query: db.query, folder, keep, write, clock, log });
  return { everySeconds, run: backups.run };
}
