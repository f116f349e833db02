import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import {
  createCatalogue,
  createIcons,
  loadBundledManifests,
  loadOwnManifests,
  mountCatalogueRoutes,
} from '#features/catalogue/index.ts';
import type { Catalogue, ManifestPolicy } from '#features/catalogue/index.ts';
import {
  bundledPrograms,
  upstreamContributor,
  createUpstreams,
  mountClientDocument,
  mountUpstreamRoutes,
  mountPreferenceRoutes,
  mountUpstreamSignInRoutes,
  personalFilesContributor,
} from '#features/upstreams/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import { createGateway, gatewayContributor, type Gateway, type KeepAliveTimes } from '#features/gateway/index.ts';
import { createDiagnostics, diagnosticsContributor, type Diagnostics } from '#features/diagnostics/index.ts';
import { createIdentity, type Identity, type IdentityOptions } from '#features/identity/index.ts';
import {
  createCallLog,
  createUsageWriter,
  ensurePartitions,
  mountUsageRoutes,
  usageContributor,
  type UsageWriter,
} from '#features/usage/index.ts';
import { createBilling, type Billing } from '#features/billing/index.ts';
import { connectOpenId } from '#adapters/openid/openid-sign-in.ts';
import { systemClock, type Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { deriveKey, readMasterKey } from '#platform/crypto/master-key.ts';
import { createVault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import type { ResolveName } from '#platform/http/outgoing.ts';
import { createRouter, type Router } from '#platform/http/router.ts';
import { buildServer } from '#platform/http/server.ts';
import { createIds, type Ids } from '#platform/ids.ts';
import { createJobs } from '#platform/jobs/create-jobs.ts';
import type { Log } from '#platform/log.ts';
import { serveMetrics } from '#platform/metrics-server.ts';
import { readInstallation } from './installation.ts';
import { connectOutgoing } from './connect-outgoing.ts';
import { logRefusals } from './log-refusals.ts';
import { createMetrics } from './metrics.ts';
import { migrations } from './migrations.ts';
import { paths as bundledPaths, type Paths } from './paths.ts';
import { scheduleJobs } from './schedule-jobs.ts';
import { answerNotFound, serveWeb } from './serve-web.ts';
import { servicesOfUser } from './services-of-user.ts';
import { version } from './version.ts';

/** 2026-07-28 first, then the revisions that start with initialize. */
const protocolVersions = ['2026-07-28', ...new Set([LATEST_PROTOCOL_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS])];

/** How long a stop waits for running calls, after its grace. */
const drainMs = 20_000;

export type AppOptions = {
  config: Config;
  log: Log;
  clock?: Clock;
  ids?: Ids;
  /** An open database; by default, the one in the configuration is opened. */
  db?: Database;
  /** Parts of billing that tests replace: the entitlement policy and the charges. */
  billing?: Partial<Billing>;
  paths?: Paths;
  /** Where npm finds its settings when a program is a package; by default this process's environment. */
  environment?: NodeJS.ProcessEnv;
  /** The built web app; without it the broker serves only its API. */
  webFolder?: string;
  /** host:port of non-public addresses that are allowed as upstreams, beside those of the configuration. */
  allowAddresses?: readonly string[];
  /** Stands in for this machine's resolver in tests, for addresses from outside. */
  resolve?: ResolveName;
  /** Parts of identity that tests replace: Google's issuer, and the dispatcher for clients' metadata documents. */
  identity?: Partial<Pick<IdentityOptions, 'googleIssuer' | 'documentDispatcher'>>;
  /** When late answers become streams, and how often comments are sent on them; tests wait less. */
  keepAlive?: KeepAliveTimes;
};

export type App = {
  readonly server: FastifyInstance;
  readonly router: Router;
  readonly identity: Identity;
  readonly catalogue: Catalogue;
  /** Which manifests this installation takes. */
  readonly policy: ManifestPolicy;
  readonly upstreams: Upstreams;
  readonly gateway: Gateway;
  readonly usage: UsageWriter;
  readonly diagnostics: Diagnostics;
  readonly db: Database;
  /** Listens, then starts the services and discovers the servers in the background. */
  start(): Promise<void>;
  /** Resolves when every server was discovered once after the start. */
  readonly serversAsked: Promise<void>;
  /** Finishes running calls, ends child processes and connections, closes the database. */
  stop(): Promise<void>;
};

/** Composes the broker: builds the features, connects them, mounts the routes. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, log } = options;
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? createIds(clock);
  const paths = options.paths ?? bundledPaths;

  const masterKey = readMasterKey(config);
  const vault = createVault(masterKey);
  const db = options.db ?? (await openDatabase({ ...config, log, migrations }));
  await migrate(db, migrations);
  await ensurePartitions(db, clock.now());

  const { allowlist, programs, allowAddresses, policy } = readInstallation(config, paths, options.allowAddresses);

  const leaving = connectOutgoing(config.outgoingProxy, log, options.resolve);
  const { outgoing } = leaving;

  const diagnostics = createDiagnostics({
    db,
    publicUrl: config.publicUrl,
    dispatcher: leaving.dispatcher,
    findTokenOwner: (authorization, resource) => identity.findTokenOwner(authorization, resource),
    namesOfApps: (userId) => identity.namesOfApps(userId),
    noteClientVersion: (grantId, version) => identity.noteClientVersion(grantId, version),
    clock,
    ids,
    log,
  });
  const identity = await createIdentity({
    db,
    config,
    clock,
    ids,
    log,
    vault,
    connectUpstream: (settings) => connectOpenId({ fetch: leaving.fetch, ...settings }),
    outgoing,
    hasServer: (serverId) => catalogue.snapshot().byId.has(serverId),
    disabledServers: (userId) => upstreams.preferences.readDisabled(userId),
    services: servicesOfUser({
      snapshot: () => catalogue.snapshot(),
      entitlement: (userId) => billing.entitlement(userId),
      disabledServers: (userId) => upstreams.preferences.disabledServers(userId),
      isAccountMissing: (userId, server) => upstreams.signIn.isMissing(userId, server),
    }),
    events: diagnostics.identityEvents,
    ...options.identity,
  });
  const catalogue = await createCatalogue({ db, clock, log, bundledPrograms: bundledPrograms(allowlist) });
  // the operator's own come first: a bundled server of the same id is then theirs
  if (config.catalogueDir !== undefined) await loadOwnManifests(catalogue, config.catalogueDir, policy, log);
  const bundled = { deployed: join(paths.catalogue, 'deployed'), staged: join(paths.catalogue, 'staged') };
  if (config.bundledCatalogue) await loadBundledManifests(catalogue, bundled, policy, log);
  const icons = createIcons({ db, catalogue, allowAddresses, production: config.production, outgoing, clock, log });
  const subjectKey = deriveKey(masterKey, 'service-subject');
  const upstreams = await createUpstreams({
    db,
    vault,
    catalogue,
    config,
    programs,
    allowlist,
    environment: options.environment,
    subjectKey,
    allowAddresses,
    outgoing,
    clock,
    ids,
    log,
  });
  const metrics =
    config.metrics &&
    (await createMetrics({ catalogue, pool: upstreams.pool, db, usageWaiting: () => usage.waiting() }));
  const callLog = createCallLog(log);
  const usage = createUsageWriter({
    query: db.query,
    log,
    onRows(rows) {
      callLog.note(rows);
      metrics?.note(rows);
    },
  });
  const billing = { ...createBilling({ usage }), ...options.billing };
  const gatewayEvents = logRefusals(diagnostics.gatewayEvents, log);
  const gateway = await createGateway({
    config,
    identity,
    catalogue,
    pool: upstreams.pool,
    billing,
    preferences: upstreams.preferences,
    offers: upstreams.offers,
    signIn: upstreams.signIn,
    db,
    ...(options.keepAlive && { keepAlive: options.keepAlive }),
    events: gatewayEvents,
    stateKey: deriveKey(masterKey, 'request-state'),
    version,
    clock,
    ids,
    log,
  });
  const jobs = createJobs({ db, log });
  await scheduleJobs(jobs, { db, clock, identity, diagnostics, upstreams, gateway });

  const contributors = [
    upstreamContributor(db),
    personalFilesContributor({ dataDir: config.dataDir, subjectKey, pool: upstreams.pool }),
    gatewayContributor(db),
    usageContributor(db),
    diagnosticsContributor(db),
  ];
  for (const contributor of contributors) identity.accountContributors.add(contributor);

  let draining = false;
  const server = await buildServer({
    config,
    ids,
    log,
    isReady: async () => !draining && (await db.query('select 1')).rows.length === 1,
  });
  const router = createRouter(server, identity.guard);
  await identity.mountRoutes(server, router);
  diagnostics.mountRoutes(router, identity);
  icons.mountRoutes(server);
  mountCatalogueRoutes(router, { catalogue, config, clock, version, protocolVersions });
  mountUpstreamRoutes(router, { ...upstreams, catalogue });
  mountPreferenceRoutes(router, { ...upstreams, catalogue, entitlement: billing.entitlement });
  mountUpstreamSignInRoutes(router, { ...upstreams, catalogue, config });
  mountClientDocument(server, config);
  mountUsageRoutes(router, { query: db.query, clock, nameClients: identity.nameClients });
  await gateway.mountRoutes(server, router);
  const hasService = (id: string) => catalogue.snapshot().byId.has(id);
  if (options.webFolder) await serveWeb(server, { folder: options.webFolder, config, hasService });
  else server.setNotFoundHandler(answerNotFound);

  let metricsServer: { stop(): Promise<void> } | undefined;
  const asked = Promise.withResolvers<void>();
  return {
    server,
    router,
    identity,
    catalogue,
    policy,
    upstreams,
    gateway,
    usage,
    diagnostics,
    db,
    serversAsked: asked.promise,
    async start() {
      await Promise.all([upstreams.watch.startServices(), jobs.start()]);
      if (config.metrics && metrics) metricsServer = await serveMetrics({ ...config.metrics, ...metrics, log });
      await server.listen({ port: config.port, host: config.host });
      icons.start();
      upstreams.watch.start().then(asked.resolve, (error: unknown) => {
        log.error({ err: error }, 'the servers could not be discovered');
        asked.resolve();
      });
    },
    async stop() {
      draining = true;
      // load balancers see /readyz first: what they still send is served
      await pause(config.drainGraceMs);
      const steps: [string, () => Promise<unknown>][] = [
        ['calls', () => gateway.drain(drainMs)],
        ['gateway', () => gateway.stop()],
        ['server', () => server.close()],
        ['upstreams', () => upstreams.stop()],
        ['jobs', () => jobs.stop()],
        ['usage', () => usage.stop()],
        ['log of calls', async () => callLog.stop()],
        ['log of refusals', async () => gatewayEvents.stop()],
        ['metrics', async () => metricsServer?.stop()],
        ['diagnostics', () => diagnostics.flush()],
        ['identity', () => identity.stop()],
        ['icons', () => icons.stop()],
        ['catalogue', () => catalogue.stop()],
        ['requests that leave', () => leaving.dispatcher.destroy()],
        ['database', () => db.close()],
      ];
      for (const [name, stopPart] of steps) {
        // a part that fails to stop must not prevent the others from stopping
        await stopPart().catch((error: unknown) =>
          log.error({ err: error, part: name }, 'a part did not stop cleanly'),
        );
      }
    },
  };
}
