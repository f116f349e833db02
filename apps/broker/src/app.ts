import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import {
  checkAllowed,
  catalogueContributor,
  createCatalogue,
  createIcons,
  createManifestRuns,
  createServerIndex,
  firstOnHome,
  loadBundledManifests,
  loadOwnManifests,
  mountBundledIcons,
  mountCatalogueRoutes,
  type CatalogueServer,
} from '#features/catalogue/index.ts';
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
import { createGateway, gatewayContributor } from '#features/gateway/index.ts';
import { createDiagnostics, diagnosticsContributor } from '#features/diagnostics/index.ts';
import { createIdentity } from '#features/identity/index.ts';
import {
  createCallLog,
  createUsageWriter,
  ensurePartitions,
  mountServerRecord,
  mountUsageRoutes,
  usageByDayContributor,
  usageContributor,
  usedTools,
  useOfServers,
} from '#features/usage/index.ts';
import {
  accessContributor,
  createBilling,
  createAdministration,
  creditsContributor,
  mountBillingHistoryRoutes,
  mountBillingRoutes,
  mountPriceRiseRoutes,
  mountSpendCapRoutes,
  priceApprovalsContributor,
  checkoutContributor,
  mountCheckoutRoutes,
  mountSubscriptionRoutes,
  transactionsContributor,
} from '#features/billing/index.ts';
import { connectOpenId } from '#adapters/openid/openid-sign-in.ts';
import { connectProvider } from '#adapters/stripe/stripe-client.ts';
import { startStripeSandbox, stripeWebhookPath } from '#adapters/stripe/stripe-sandbox.ts';
import { systemClock } from '#platform/clock.ts';
import { deriveKey, readMasterKey } from '#platform/crypto/master-key.ts';
import { createVault } from '#platform/crypto/vault.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createKeepAlive } from '#platform/http/keep-alive.ts';
import { createRouter } from '#platform/http/router.ts';
import { buildServer } from '#platform/http/server.ts';
import { createUnreadAnswers } from '#platform/http/unread-answers.ts';
import { createIds } from '#platform/ids.ts';
import { createJobs } from '#platform/jobs/create-jobs.ts';
import { serveMetrics } from '#platform/metrics-server.ts';
import type { App, AppOptions } from './app-types.ts';
import { readInstallation } from './installation.ts';
import { connectOutgoing } from './connect-outgoing.ts';
import { logRefusals } from './log-refusals.ts';
import { createMetrics } from './metrics.ts';
import { mountAdministration } from './mount-administration.ts';
import { migrations } from './migrations.ts';
import { formerServers } from './former-servers.ts';
import { paths as bundledPaths } from './paths.ts';
import { peopleOfServers } from './people-of-servers.ts';
import { scheduleJobs } from './schedule-jobs.ts';
import { createRefusedAudit } from './refused-audit.ts';
import { answerNotFound, serveWeb, type AnswerUnknown } from './serve-web.ts';
import { servicesOfUser } from './services-of-user.ts';
import { version } from './version.ts';

/** 2026-07-28 first, then the revisions that start with initialize. */
const protocolVersions = ['2026-07-28', ...new Set([LATEST_PROTOCOL_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS])];

/** How long a stop waits for running calls, after its grace. */
const drainMs = 20_000;

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

  const keepAlive = createKeepAlive(options.keepAlive);
  const unread = createUnreadAnswers(options.unread);
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
    planOf: (userId) => billing.access.planOf(userId),
    peoplePlans: () => billing.peoplePlans,
    endPaid: (...asked) => administration.endPaid(...asked),
    signedInServers: (userIds) => upstreams.signIn.signedInServers(userIds),
    services: servicesOfUser({
      snapshot: () => catalogue.snapshot(),
      entitlement: (userId) => billing.entitlement(userId),
      disabledServers: (userId) => upstreams.preferences.disabledServers(userId),
      isAccountMissing: (userId, server) => upstreams.signIn.isMissing(userId, server),
    }),
    events: diagnostics.identityEvents,
    noteRefusedAdmin: createRefusedAudit(db, clock),
    ...options.identity,
  });
  const people = peopleOfServers({ query: db.query, livemode: () => billing.livemode, clock });
  const catalogue = await createCatalogue({
    db,
    clock,
    log,
    bundledPrograms: bundledPrograms(allowlist),
    ...people,
  });
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
    policy,
    config,
    programs,
    allowlist,
    environment: options.environment,
    subjectKey,
    allowAddresses,
    outgoing,
    unread,
    clock,
    ids,
    log,
  });
  const manifestRuns = await createManifestRuns({
    db,
    catalogue,
    check: (manifest) => checkAllowed(manifest, policy),
    servers: { watch: upstreams.watch, reconnect: upstreams.pool.retireServer },
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
  const stripeSandbox =
    config.payments === 'sandbox'
      ? await startStripeSandbox({
          db,
          config,
          webhookKey: deriveKey(masterKey, 'stripe-sandbox-webhook'),
          clock,
          log,
          ...(options.createStripeSandbox && { create: options.createStripeSandbox }),
        })
      : undefined;
  const stripeAccess = config.payments === 'stripe' ? config.stripe : stripeSandbox?.access;
  const provider = stripeAccess && connectProvider(stripeAccess, leaving.fetch);
  const ownBilling = await createBilling({
    db,
    usage,
    config,
    provider,
    catalogue,
    offersFile: paths.offers,
    emailOf: async (userId) => (await identity.findUser(userId))?.email,
    accountSince: async (userId) => (await identity.findUser(userId))?.createdAt,
    uuid: ids.uuid,
    clock,
    log,
  });
  const billing = { ...ownBilling, ...options.billing };
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
    keepAlive,
    formerServer: formerServers({ query: db.query, clock }),
    unread,
    questionPatienceMs: options.questionPatienceMs,
    events: gatewayEvents,
    stateKey: deriveKey(masterKey, 'request-state'),
    version,
    clock,
    ids,
    log,
  });
  const { directory } = identity;
  const administration = createAdministration({ ...billing, db, catalogue, directory, uuid: ids.uuid, clock, log });
  const jobs = createJobs({ db, log });
  await scheduleJobs(jobs, { db, clock, identity, billing, diagnostics, upstreams, gateway });

  const contributors = [
    catalogueContributor(db),
    upstreamContributor(db),
    personalFilesContributor({ dataDir: config.dataDir, subjectKey, pool: upstreams.pool }),
    gatewayContributor(db),
    creditsContributor(db),
    accessContributor(db),
    checkoutContributor({ query: db.query, payments: billing.payments }),
    transactionsContributor(db),
    priceApprovalsContributor(db),
    usageContributor(db),
    usageByDayContributor(db),
    diagnosticsContributor(db),
  ];
  for (const contributor of contributors) identity.accountContributors.add(contributor);

  let draining = false;
  const server = await buildServer({
    config,
    ids,
    log,
    unread,
    isReady: async () => !draining && (await db.query('select 1')).rows.length === 1,
  });
  const router = createRouter(server, identity.guard, unread);
  await identity.mountRoutes(server, router);
  diagnostics.mountRoutes(router, identity);
  icons.mountRoutes(server);
  await mountBundledIcons(server, paths.icons);
  const rentalPriceId = (server: CatalogueServer) => billing.prices.rentalPriceId(server);
  const popularity = useOfServers({ query: db.query, clock, log });
  const indexOf = createServerIndex(popularity);
  mountCatalogueRoutes(router, { catalogue, indexOf, config, clock, version, protocolVersions, rentalPriceId });
  mountUpstreamRoutes(router, { ...upstreams, catalogue });
  mountPreferenceRoutes(router, { ...upstreams, catalogue, entitlement: billing.entitlement });
  mountSpendCapRoutes(router, billing);
  mountPriceRiseRoutes(router, {
    ...billing,
    catalogue,
    usedTools: (userId) => usedTools(db.query, userId, clock.now()),
    isCharging: billing.payments !== undefined,
  });
  mountBillingRoutes(router, { ...billing, catalogue, clock, disabledServers: upstreams.preferences.readDisabled });
  mountCheckoutRoutes(router, billing);
  mountSubscriptionRoutes(router, billing);
  mountUpstreamSignInRoutes(router, { ...upstreams, catalogue, config });
  mountClientDocument(server, { config, catalogue });
  mountBillingHistoryRoutes(router, { query: db.query, livemode: billing.livemode });
  mountUsageRoutes(router, { query: db.query, clock, nameClients: identity.nameClients, livemode: billing.livemode });
  const serverFigures = mountAdministration(router, {
    administration,
    billing,
    catalogue,
    clock,
    db,
    identity,
    keepAlive,
    manifestRuns,
    people,
    policy,
    upstreams,
  });
  mountServerRecord(router, { catalogue, health: upstreams.health, query: db.query, clock, log });
  await gateway.mountRoutes(server, router);
  billing.payments?.mountWebhook(server, stripeWebhookPath);
  stripeSandbox?.mountPages(server);
  const { snapshot } = catalogue;
  const homeOrder = (count: number) => firstOnHome(indexOf(snapshot()), count);
  const answerUnknown: AnswerUnknown = (request, reply) => gateway.answerUnknown(request, reply);
  if (options.webFolder)
    await serveWeb(server, { folder: options.webFolder, config, snapshot, homeOrder, answerUnknown });
  else server.setNotFoundHandler((request, reply) => void (answerUnknown(request, reply) || answerNotFound()));

  let metricsServer: { stop(): Promise<void> } | undefined;
  const asked = Promise.withResolvers<void>();
  return {
    server,
    router,
    identity,
    catalogue,
    policy,
    people,
    manifestRuns,
    upstreams,
    gateway,
    billing,
    administration,
    usage,
    serverFigures,
    diagnostics,
    stripeSandbox,
    db,
    serversAsked: asked.promise,
    async start() {
      await Promise.all([upstreams.watch.startServices(), jobs.start()]);
      // so that it is known when the first visitor comes
      popularity();
      if (config.metrics && metrics) metricsServer = await serveMetrics({ ...config.metrics, ...metrics, log });
      await server.listen({ port: config.port, host: config.host });
      icons.start();
      billing.prices.start();
      billing.payments?.events.start();
      billing.payments?.offersChanged();
      upstreams.watch.start().then(asked.resolve, (error: unknown) => {
        log.error({ err: error }, 'the servers could not be discovered');
        asked.resolve();
      });
      await manifestRuns.start();
    },
    async stop() {
      draining = true;
      // load balancers see /readyz first: what they still send is served
      await pause(config.drainGraceMs);
      const steps: [string, () => Promise<unknown>][] = [
        // first: who waits for a run would keep the server from closing
        ['runs of manifests', () => manifestRuns.stop()],
        ['connection tests', () => upstreams.tests.stop()],
        ['calls', () => gateway.drain(options.drainMs ?? drainMs)],
        ['gateway', () => gateway.stop()],
        ['server', () => server.close()],
        ['unread answers', async () => unread.stop()],
        ['events of payments', async () => billing.payments?.events.stop()],
        ['payment pages', async () => billing.payments?.stop()],
        ['prices', () => billing.prices.stop()],
        ['payment provider', async () => provider?.stop()],
        ['stand-in for Stripe', async () => stripeSandbox?.stop()],
        ['upstreams', () => upstreams.stop()],
        ['jobs', () => jobs.stop()],
        ['ledger', () => billing.ledger.stop()],
        ['usage', () => usage.stop()],
        ['log of calls', async () => callLog.stop()],
        ['log of refusals', async () => gatewayEvents.stop()],
        ['metrics', async () => metricsServer?.stop()],
        ['diagnostics', () => diagnostics.flush()],
        ['identity', () => identity.stop()],
        ['icons', () => icons.stop()],
        ['access', () => billing.access.stop()],
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
