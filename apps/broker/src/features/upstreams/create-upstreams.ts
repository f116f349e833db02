import type { UnreadAnswers } from '#platform/http/unread-answers.ts';
import type { Catalogue, ManifestPolicy } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { Outgoing } from '#platform/http/outgoing.ts';
import { createConnectionTests, type ConnectionTests } from './connection-test/create-connection-tests.ts';
import { recordHealth, type HealthRecord } from './health/record-health.ts';
import { moveOldFolders } from './processes/personal-folders.ts';
import { createPackageInstaller } from './processes/package-installer.ts';
import { createPreferences, type Preferences } from './preferences/create-preferences.ts';
import { listChildren, type Child } from './processes/list-children.ts';
import { createServices, type ServicePrograms, type Services } from './processes/run-services.ts';
import type { StdioAllowlist } from './processes/stdio-allowlist.ts';
import { createStdioPrograms, sandboxFor, type StdioPrograms } from './processes/stdio-programs.ts';
import { systemTimers } from './pool/timers.ts';
import { createUpstreamPool, type UpstreamPool } from './pool/upstream-pool.ts';
import { createAccountStore } from './sign-in/account-store.ts';
import { createOperatorSecrets } from './sign-in/operator-secrets.ts';
import { createUpstreamSignIn, type UpstreamSignIn } from './sign-in/create-upstream-sign-in.ts';
import { approveOffer, showOffer, type OfferChange } from './offers/approve-offer.ts';
import { createOfferStore } from './offers/offer-store.ts';
import { createPersonalOffers, type PersonalOffers } from './offers/personal-offers.ts';
import { addressOf } from './pool/upstream-target.ts';
import { createServerWatch, type ServerWatch } from './watch/watch-servers.ts';

/** Everything about reaching MCP servers: the services that we run, open connections, discovery and health. */
export type Upstreams = {
  readonly pool: UpstreamPool;
  readonly services: Services;
  /** The programs of stdio servers. */
  readonly programs: StdioPrograms;
  readonly watch: ServerWatch;
  /** Tests of manifests, beside what is deployed. */
  readonly tests: ConnectionTests;
  /** The processes of a server that run now, those of connection tests too. */
  childrenOf(serverId: string): Promise<Child[]>;
  /** How each server was, by the day. */
  readonly health: Pick<HealthRecord, 'read'>;
  /** What each person has switched off. */
  readonly preferences: Preferences;
  /** Each person's accounts at servers that need one. */
  readonly signIn: UpstreamSignIn;
  /** What servers offer to each person's account. */
  readonly offers: PersonalOffers;
  /** Makes what a server offers to one person what the shop shows of it (offers/approve-offer.ts). */
  approveOffer(
    serverId: string,
    of: { userId: string; name: string },
    decision: { by: string | undefined; reason: string; shown: string },
  ): Promise<string[]>;
  /** What this would change in the shop, and the code of the list for the approval. */
  showOffer(serverId: string, of: { userId: string; name: string }): Promise<{ code: string; changes: OfferChange[] }>;
  stop(): Promise<void>;
};

export async function createUpstreams(options: {
  db: Database;
  vault: Vault;
  catalogue: Catalogue;
  /** Which manifests this installation takes. */
  policy: ManifestPolicy;
  config: Config;
  programs: ServicePrograms;
  allowlist: StdioAllowlist;
  /** Where npm's own settings are; by default this process's environment. */
  environment?: NodeJS.ProcessEnv | undefined;
  subjectKey: Uint8Array;
  allowAddresses: readonly string[];
  outgoing: Outgoing;
  /** Answers that people have not read. */
  unread: UnreadAnswers;
  clock: Clock;
  ids: Ids;
  log: Log;
}): Promise<Upstreams> {
  const { catalogue, config, clock, log } = options;
  await moveOldFolders({ dataDir: config.dataDir, subjectKey: options.subjectKey }, options);
  const services = createServices({
    programs: options.programs,
    dataDir: config.dataDir,
    secret: options.ids.secret(32),
    restartDelayMs: config.serviceRestartDelayMs,
    clock,
    log,
  });
  const preferences = await createPreferences(options);
  const store = createAccountStore(options);
  const signIn = createUpstreamSignIn({
    ...options,
    store,
    addressOf: (server) => addressOf(server, { ...options, services }),
    async onChanged(userId, serverId) {
      await preferences.announce(userId, serverId);
      offers.signedIn(userId, serverId);
    },
  });
  const programs = createStdioPrograms({
    allowlist: options.allowlist,
    secrets: config.upstreamSecrets,
    sandbox: await sandboxFor(options.allowlist, config, log),
    packages: createPackageInstaller({
      dataDir: config.dataDir,
      wanted: Object.values(options.allowlist).flatMap(({ npm }) => npm ?? []),
      environment: options.environment ?? process.env,
      proxy: config.outgoingProxy,
      clock,
    }),
    log,
  });
  const target = {
    dataDir: config.dataDir,
    services,
    programs,
    subjectKey: options.subjectKey,
    allowAddresses: options.allowAddresses,
    outgoing: options.outgoing,
    publicNeedsTls: config.production,
    credentials: signIn.credentials,
  };
  const pool = createUpstreamPool({
    ...target,
    limits: config.limits,
    unread: options.unread,
    clock,
    log,
    events: {
      onListChanged(serverId, userId) {
        watch.listChanged(serverId);
        if (userId !== undefined) offers.listChanged(userId, serverId);
      },
      onOpened: (serverId, userId) => offers.connected(userId, serverId),
      onLost: (serverId, reason, shared) => {
        if (shared) watch.lost(serverId, reason);
      },
    },
  });
  const watch = createServerWatch({
    catalogue,
    pool,
    programs,
    services,
    intervalMs: config.healthIntervalMs,
    restartDelayMs: config.serviceRestartDelayMs,
    clock,
    log,
  });
  const tests = await createConnectionTests({
    ...target,
    catalogue,
    policy: options.policy,
    secrets: createOperatorSecrets(config.upstreamSecrets),
    signIn,
    query: options.db.query,
    ids: options.ids,
    clock,
    log,
  });
  const offerStore = createOfferStore(options);
  const health = recordHealth({
    catalogue,
    failureOf: watch.failureOf,
    query: options.db.query,
    intervalMs: config.healthIntervalMs,
    clock,
    log,
  });
  const offers = createPersonalOffers({
    accounts: store,
    store: offerStore,
    catalogue,
    pool,
    isOf: signIn.isOf,
    announce: preferences.announce,
    timers: systemTimers,
    clock,
    log,
  });
  preferences.onChange((userId, serverId) => {
    offers.forget(userId);
    if (userId !== undefined && serverId !== undefined) pool.retire(serverId, userId);
  });
  return {
    pool,
    services,
    programs,
    watch,
    tests,
    childrenOf: (serverId) =>
      listChildren([
        ...pool.programsOf(serverId),
        ...tests.childrenOf(serverId).map((child) => ({ ...child, use: 'test' as const })),
      ]),
    health,
    preferences,
    signIn,
    offers,
    approveOffer: (serverId, of, decision) => approveOffer(serverId, of, decision, { store: offerStore, catalogue }),
    showOffer: (serverId, of) => showOffer(serverId, of, { store: offerStore, catalogue }),
    async stop() {
      await tests.stop();
      await preferences.stop();
      // Begun first: a discovery that waits for a package's installation then knows why it ends.
      const watched = watch.stop();
      await programs.stop();
      await watched;
      await health.stop();
      // Questions under way end when the pool closes their connections.
      const asked = offers.stop();
      await pool.stop();
      await asked;
      await services.stop();
    },
  };
}
