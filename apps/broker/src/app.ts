import { join } from 'node:path';
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import { createCatalogue, loadBundledManifests, mountCatalogueRoutes } from '#features/catalogue/index.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import {
  connectionContributor,
  createConnections,
  mountClientDocument,
  mountConnectionRoutes,
  mountPreferenceRoutes,
  mountUpstreamSignInRoutes,
  personalFilesContributor,
} from '#features/connections/index.ts';
import type { Connections } from '#features/connections/index.ts';
import {
  createGateway,
  freeForAll,
  gatewayContributor,
  type AccessPolicy,
  type Gateway,
} from '#features/gateway/index.ts';
import { createIdentity, type Identity, type IdentityOptions } from '#features/identity/index.ts';
import {
  createUsageWriter,
  dropOldPartitions,
  ensurePartitions,
  mountUsageRoutes,
  usageContributor,
  type UsageWriter,
} from '#features/usage/index.ts';
import { connectGoogle } from '#adapters/google/google-sign-in.ts';
import { systemClock, type Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { deriveKey, readMasterKey } from '#platform/crypto/master-key.ts';
import { createVault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createRouter, type Router } from '#platform/http/router.ts';
import { buildServer } from '#platform/http/server.ts';
import { createIds, type Ids } from '#platform/ids.ts';
import { createJobs, type Jobs } from '#platform/jobs/create-jobs.ts';
import type { Log } from '#platform/log.ts';
import { readInstallation } from './installation.ts';
import { migrations } from './migrations.ts';
import { paths as bundledPaths, type Paths } from './paths.ts';
import { answerNotFound, serveWeb } from './serve-web.ts';
import { version } from './version.ts';

/** 2026-07-28 first, then the revisions that are opened by initialize. */
const protocolVersions = ['2026-07-28', ...new Set([LATEST_PROTOCOL_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS])];

/** A stop waits this long for calls under way. */
const drainMs = 20_000;

export type AppOptions = {
  config: Config;
  log: Log;
  clock?: Clock;
  ids?: Ids;
  /** An open database; by default the one that the configuration names. */
  db?: Database;
  /** Who may use which server. Until there is billing: everybody what is free. */
  access?: AccessPolicy;
  paths?: Paths;
  /** The built web app; without it the broker serves its calls alone. */
  webFolder?: string;
  /** host:port of addresses that are not public and yet allowed as upstreams. */
  allowAddresses?: readonly string[];
  /** Parts of identity that tests replace: Google's issuer, and the way to clients' metadata documents. */
  identity?: Partial<Pick<IdentityOptions, 'googleIssuer' | 'documentDispatcher'>>;
};

export type App = {
  readonly server: FastifyInstance;
  readonly router: Router;
  readonly identity: Identity;
  readonly catalogue: Catalogue;
  readonly connections: Connections;
  readonly gateway: Gateway;
  readonly usage: UsageWriter;
  readonly db: Database;
  /** Listens, then starts the services and asks the servers in the background. */
  start(): Promise<void>;
  /** Resolves when every server was asked once after the start. */
  readonly serversAsked: Promise<void>;
  /** Finishes calls under way, ends children and connections, closes the database. */
  stop(): Promise<void>;
};

/** The whole map of the broker: builds the features, joins them, mounts the routes. */
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

  const { allowlist, programs, policy } = readInstallation(config, paths, options.allowAddresses);

  const identity = await createIdentity({
    db,
    config,
    clock,
    ids,
    log,
    vault,
    connectUpstream: connectGoogle,
    hasServer: (serverId) => catalogue.snapshot().byId.has(serverId),
    disabledServers: (userId) => connections.preferences.readDisabled(userId),
    ...options.identity,
  });
  const catalogue = await createCatalogue({ db, clock, log });
  await loadBundledManifests(
    catalogue,
    { deployed: join(paths.catalogue, 'deployed'), staged: join(paths.catalogue, 'staged') },
    policy,
    log,
  );
  const subjectKey = deriveKey(masterKey, 'service-subject');
  const connections = await createConnections({
    db,
    vault,
    catalogue,
    config,
    programs,
    allowlist,
    subjectKey,
    allowAddresses: options.allowAddresses ?? [],
    clock,
    ids,
    log,
  });
  const usage = createUsageWriter({ query: db.query, log });
  const entitled = options.access ?? freeForAll;
  const gateway = createGateway({
    config,
    identity,
    catalogue,
    pool: connections.pool,
    usage,
    entitled,
    preferences: connections.preferences,
    offers: connections.offers,
    signIn: connections.signIn,
    query: db.query,
    stateKey: deriveKey(masterKey, 'request-state'),
    version,
    clock,
    ids,
    log,
  });
  const jobs = createJobs({ db, log });
  await scheduleJobs(jobs, db, clock, identity);

  const contributors = [
    connectionContributor(db),
    personalFilesContributor({ dataDir: config.dataDir, subjectKey, pool: connections.pool }),
    gatewayContributor(db),
    usageContributor(db),
  ];
  for (const contributor of contributors) identity.accountContributors.add(contributor);
  await jobs.schedule('upstream-sign-ins', 60 * 60, () => connections.signIn.removeExpired());

  let draining = false;
  const server = await buildServer({
    config,
    ids,
    log,
    isReady: async () => !draining && (await db.query('select 1')).rows.length === 1,
  });
  const router = createRouter(server, identity.guard);
  await identity.mountRoutes(server, router);
  mountCatalogueRoutes(router, { catalogue, config, clock, version, protocolVersions });
  mountConnectionRoutes(router, { catalogue, watch: connections.watch });
  mountPreferenceRoutes(router, { ...connections, catalogue, entitled });
  mountUpstreamSignInRoutes(router, { ...connections, catalogue, config });
  mountClientDocument(server, config);
  mountUsageRoutes(router, { query: db.query, clock, nameClients: identity.nameClients });
  await gateway.mountRoutes(server, router);
  if (options.webFolder) await serveWeb(server, { folder: options.webFolder, config });
  else server.setNotFoundHandler(answerNotFound);

  const asked = Promise.withResolvers<void>();
  return {
    server,
    router,
    identity,
    catalogue,
    connections,
    gateway,
    usage,
    db,
    serversAsked: asked.promise,
    async start() {
      await Promise.all([connections.watch.startServices(), jobs.start()]);
      await server.listen({ port: config.port, host: config.host });
      connections.watch.start().then(asked.resolve, (error: unknown) => {
        log.error({ err: error }, 'the servers could not be asked');
        asked.resolve();
      });
    },
    async stop() {
      draining = true;
      const steps: [string, () => Promise<unknown>][] = [
        ['calls', () => gateway.drain(drainMs)],
        ['gateway', () => gateway.stop()],
        ['server', () => server.close()],
        ['connections', () => connections.stop()],
        ['jobs', () => jobs.stop()],
        ['usage', () => usage.stop()],
        ['identity', () => identity.stop()],
        ['catalogue', () => catalogue.stop()],
        ['database', () => db.close()],
      ];
      for (const [name, stopPart] of steps) {
        // One that cannot end cleanly must not keep the others from ending.
        await stopPart().catch((error: unknown) =>
          log.error({ err: error, part: name }, 'a part did not stop cleanly'),
        );
      }
    },
  };
}

async function scheduleJobs(jobs: Jobs, db: Database, clock: Clock, identity: Identity): Promise<void> {
  const daySeconds = 24 * 60 * 60;
  await jobs.schedule('connection-log', 600, () => identity.connectionLog.reap());
  await jobs.schedule('identity-keys', 60 * 60, identity.rotateKeys);
  await jobs.schedule('identity-reaping', 60 * 60, identity.reap);
  await jobs.schedule('usage-partitions', daySeconds, async () => {
    await ensurePartitions(db, clock.now());
    await dropOldPartitions(db, clock.now());
  });
}
