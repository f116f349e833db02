import { createAdministration, isEventMissed } from '#features/billing/index.ts';
import { createServerIndex } from '#features/catalogue/index.ts';
import { createAllowances } from '#features/upstreams/index.ts';
import { createRecentUse, serversUsedTogether, useOfServers } from '#features/usage/index.ts';
import { ofExistingData, weaknessOf } from '#platform/crypto/weak-master-key.ts';
import { createJobs } from '#platform/jobs/create-jobs.ts';
import type { App, AppOptions } from './app-types.ts';
import { contributeToAccounts } from './app/contribute-to-accounts.ts';
import { backupsOfApp } from './app/backups-of-app.ts';
import { joinBilling } from './app/join-billing.ts';
import { joinCatalogue } from './app/join-catalogue.ts';
import { joinGateway } from './app/join-gateway.ts';
import { joinIdentity } from './app/join-identity.ts';
import { findAlerts } from './app/alerts-of-app.ts';
import { joinNotices } from './app/join-notices.ts';
import { joinUpstreams } from './app/join-upstreams.ts';
import { joinUsage } from './app/join-usage.ts';
import { lifecycleOf } from './app/lifecycle.ts';
import { mountRoutes } from './app/mount-routes.ts';
import { mountWeb } from './app/mount-web.ts';
import { openDoor } from './app/open-door.ts';
import { openPlatform } from './app/open-platform.ts';
import { readInstallation } from './installation.ts';
import { removeOld } from './retention/remove-old.ts';
import { createRefusals } from './refusals/refusals.ts';
import { scheduleJobs } from './app/schedule-jobs.ts';
import { systemOfApp } from './app/system-of-app.ts';

/** Composes the broker: builds the features from the ground up, connects them, mounts their routes. */
export async function createApp(options: AppOptions): Promise<App> {
  const platform = await openPlatform(options);
  const { config, log, clock, ids, db, masterKey } = platform;
  const { query } = db;
  const { resolve } = platform.leaving.outgoing;
  const allowances = await createAllowances({ ...options, db, resolve, clock });
  const installation = readInstallation(config, platform.paths, options.allowAddresses, allowances);
  const { policy } = installation;

  const { identity, diagnostics } = await joinIdentity(platform, options.identity, {
    catalogue: () => catalogue,
    upstreams: () => upstreams,
    billing: () => billing,
    administration: () => administration,
  });
  // it has opened the secrets: they were sealed with this key
  const weakKey = weaknessOf(masterKey);
  if (weakKey !== undefined) log.warn(`${weakKey} ${ofExistingData}`);

  const { catalogue, icons, people } = await joinCatalogue(platform, installation, () => billing.livemode);
  const recentUse = createRecentUse({ query, clock, log });
  const subjectKey = await platform.keptKey('service-subject');
  const { upstreams, imports, manifestRuns, allowList } = await joinUpstreams(platform, {
    options,
    installation,
    allowances,
    catalogue,
    people,
    subjectKey,
    isUsed: recentUse.has,
    onStaged: (manifest) => billing.prices.stageRental(manifest),
  });
  const refusals = createRefusals(log);
  const { usage, callLog, callRate, metrics } = await joinUsage(platform, {
    catalogue,
    upstreams,
    recentUse,
    refusals,
  });
  const { billing, provider, stripeSandbox } = await joinBilling(platform, {
    options,
    identity,
    catalogue,
    people,
    usage,
  });
  const gateway = await joinGateway(platform, {
    options,
    identity,
    diagnostics,
    catalogue,
    upstreams,
    billing,
    refusals,
  });
  const { directory } = identity;
  const administration = createAdministration({ ...billing, db, catalogue, directory, uuid: ids.uuid, clock, log });
  const notices = await joinNotices(platform, { identity, allowAddresses: installation.allowAddresses });
  const checkAlerts = async () =>
    notices.noteAlerts(
      await findAlerts({
        system,
        overview: shown.overview,
        servers: () => catalogue.snapshot().servers,
        isEventMissed: (since) => isEventMissed(db.query, billing.livemode, since, new Date(clock.now())),
        nowMs: clock.now(),
      }),
    );
  const jobs = createJobs({ db, log });
  const backup = backupsOfApp(platform, options.writeBackup);
  const retention = { removeOld: () => removeOld({ db, config, clock, log }) };
  await scheduleJobs(jobs, {
    db,
    clock,
    identity,
    billing,
    diagnostics,
    upstreams,
    imports,
    gateway,
    backup,
    notices,
    checkAlerts,
    retention,
  });
  contributeToAccounts(platform, { identity, billing, upstreams, subjectKey });

  const door = await openDoor(platform, { identity, upstreams, refusals });
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
  const parts = {
    identity,
    catalogue,
    policy,
    people,
    allowances,
    allowList,
    manifestRuns,
    imports,
    upstreams,
    gateway,
    billing,
    administration,
    notices,
    usage,
    system,
    diagnostics,
    stripeSandbox,
  };
  const popularity = useOfServers({ query, clock, log });
  const indexOf = createServerIndex(popularity);
  const usedTogether = serversUsedTogether({ query, clock, log });
  const shown = await mountRoutes(door, platform, { ...parts, refusals, icons, indexOf, usedTogether });
  await mountWeb(door, platform, {
    folder: options.webFolder,
    catalogue,
    indexOf,
    gateway,
    welcomeCredits: billing.welcomeCredits,
  });
  const { drainMs } = options;
  const more = { callLog, door, drainMs, icons, jobs, metrics, popularity, provider, refusals };
  const { server, router } = door;
  return {
    ...parts,
    ...shown,
    checkAlerts,
    server,
    router,
    db,
    vault: platform.vault,
    ...lifecycleOf(platform, { ...parts, ...more }),
  };
}
