import type { UnreadAnswers } from '#platform/http/connections/unread-answers.ts';
import type { Catalogue, ManifestPolicy, PeopleOfServers, ServerManifest } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { hideSecrets } from '#platform/text/hide-secrets.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import { createServerCertificates } from './certificates/server-certificates.ts';
import { createConnectionTests, type ConnectionTests } from './connection-test/create-connection-tests.ts';
import { recordHealth, type HealthRecord } from './health/record-health.ts';
import { createPackageInstaller } from './processes/package-installer.ts';
import { createPreferences, type Preferences } from './preferences/create-preferences.ts';
import { listChildren, type Child } from './processes/list-children.ts';
import { openMemoryGroups } from './processes/limits/memory-groups.ts';
import type { ProgramWatch } from './processes/limits/program-watch.ts';
import { createProgramWatch } from './processes/limits/watch-programs.ts';
import { createPersonFiles, type PersonFiles } from './processes/person-files.ts';
import { createServices, type ServicePrograms, type Services } from './processes/run-services.ts';
import type { StdioAllowlist } from './processes/stdio-allowlist.ts';
import { createStdioPrograms, packageOf, sandboxFor, type StdioPrograms } from './processes/stdio-programs.ts';
import { systemTimers } from './pool/timers.ts';
import { createUpstreamPool, type UpstreamPool } from './pool/upstream-pool.ts';
import { concerns, isNamedIn } from './allowances/administer-allowances.ts';
import type { Allowances } from './allowances/create-allowances.ts';
import { administerSecrets, type SecretAdministration } from './secrets/administer-secrets.ts';
import { enteredForAll } from './secrets/entered-for-all.ts';
import { createEnvironmentPlaces } from './secrets/environment-places.ts';
import { createServerSecrets } from './secrets/server-secrets.ts';
import { createAccountStore } from './sign-in/account-store.ts';
import { createOperatorSecrets } from './sign-in/client/operator-secrets.ts';
import { createUpstreamSignIn, type UpstreamSignIn } from './sign-in/create-upstream-sign-in.ts';
import { approveOffer, showOffer, type OfferChange } from './offers/approve-offer.ts';
import { createOfferStore } from './offers/offer-store.ts';
import { createPersonalOffers, type PersonalOffers } from './offers/personal-offers.ts';
import { addressOf } from './pool/upstream-target.ts';
import type { TurnLimits } from './watch/ask-turns.ts';
import { createServerWatch, type ServerWatch } from './watch/watch-servers.ts';

/** Everything about reaching MCP servers: the services that we run, open connections, discovery and health. */
export type Upstreams = {
  readonly pool: UpstreamPool;
  readonly services: Services;
  /** The programs of stdio servers. */
  readonly programs: StdioPrograms;
  /** Keeps those within their limits. */
  readonly programWatch: ProgramWatch;
  readonly watch: ServerWatch;
  /** A stop has begun: what ends from now on, our own processes among it, is not told as a failure, nor started again. */
  beginStop(): void;
  /** Tests of manifests, beside what is deployed. */
  readonly tests: ConnectionTests;
  /** The processes of a server that run now, those of connection tests too. */
  childrenOf(serverId: string): Promise<Child[]>;
  /** How each server was, by the day. */
  readonly health: Pick<HealthRecord, 'read'>;
  /** The files that programs keep for each person. */
  readonly files: PersonFiles;
  /** What each person has switched off. */
  readonly preferences: Preferences;
  /** Each person's accounts at servers that need one. */
  readonly signIn: UpstreamSignIn;
  /** The secrets that administrators enter for servers. */
  readonly secrets: SecretAdministration;
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

/** Ids of clients and addresses of issuers are no secrets. */
const isPublic = (variable: string) => /^UPSTREAM_CLIENT_(?:ID|ISSUER)_/.test(variable);

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
  people: Pick<PeopleOfServers, 'emailsOf'>;
  subjectKey: Uint8Array;
  allowAddresses: readonly string[];
  /** What administrators let in; without it nothing. */
  allowances?: Allowances | undefined;
  outgoing: Outgoing;
  /** Whether people used a server within a day. */
  isUsed: (serverId: string) => boolean;
  askTurns?: TurnLimits | undefined;
  /** Answers that people have not read. */
  unread: UnreadAnswers;
  clock: Clock;
  ids: Ids;
  log: Log;
}): Promise<Upstreams> {
  const { catalogue, config, clock, log } = options;
  const services = createServices({
    programs: options.programs,
    dataDir: config.dataDir,
    secret: options.ids.secret(32),
    restartDelayMs: config.serviceRestartDelayMs,
    clock,
    log,
  });
  const limited = options.allowances?.addresses;
  const preferences = await createPreferences(options);
  const store = createAccountStore(options);
  log.hideValues?.(
    'environment',
    [...config.upstreamSecrets].flatMap(([name, value]) => (isPublic(name) ? [] : value)),
  );
  const entered = await createServerSecrets(options);
  const places = await createEnvironmentPlaces({ ...options, environment: config.upstreamSecrets });
  const secrets = createOperatorSecrets(config.upstreamSecrets, entered, places);
  /** What no text about a server may show: what was entered for it, and what the operator set. */
  const hidden = (serverId: string) => [...entered.valuesOf(serverId), ...secrets.headersOf(serverId)];
  const signIn = createUpstreamSignIn({
    ...options,
    store,
    secrets,
    addressOf: (server) => addressOf(server, { ...options, limited, services }),
    async onChanged(userId, serverId) {
      await preferences.announce(userId, serverId);
      offers.signedIn(userId, serverId);
    },
  });
  const programs = createStdioPrograms({
    allowlist: options.allowlist,
    allowed: options.allowances?.programs,
    config,
    secrets: config.upstreamSecrets,
    entered,
    sandbox: await sandboxFor(options.allowlist, config, enteredForAll({ catalogue, entered }), log),
    packages: createPackageInstaller({
      dataDir: config.dataDir,
      wanted: [
        ...Object.values(options.allowlist).flatMap(({ npm }) => npm ?? []),
        ...[...(options.allowances?.programs().values() ?? [])].map(packageOf).flatMap((wanted) => wanted ?? []),
      ],
      environment: options.environment ?? process.env,
      proxy: config.outgoingProxy,
      clock,
    }),
    log,
  });
  const limits = config.programLimits;
  const memoryGroups = await openMemoryGroups({ cgroup: config.programsCgroup, limits, log });
  const programWatch = createProgramWatch({ dataDir: config.dataDir, limits, memoryGroups, log });
  const target = {
    dataDir: config.dataDir,
    services,
    programs,
    programWatch,
    subjectKey: options.subjectKey,
    allowAddresses: options.allowAddresses,
    limited,
    outgoing: options.outgoing,
    publicNeedsTls: config.production,
    credentials: signIn.credentials,
  };
  const certificates = createServerCertificates({ query: options.db.query, clock, log });
  const pool = createUpstreamPool({
    ...target,
    certificates,
    limits: config.limits,
    maxConnections: { all: config.limits.upstreamConnections },
    brokers: options.db.brokers,
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
    isUsed: options.isUsed,
    maxConnections: config.limits.upstreamConnections,
    askTurns: options.askTurns,
    hide: (serverId, text) => hideSecrets(text, hidden(serverId)),
    clock,
    log,
  });
  const tests = await createConnectionTests({
    ...target,
    catalogue,
    policy: options.policy,
    secrets,
    hide: (serverId, text) => hideSecrets(text, hidden(serverId)),
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
  options.allowances?.onChange(({ added, removed, addedPrograms, removedPrograms }) => {
    const { servers } = catalogue.snapshot();
    for (const server of servers.filter((one) => concerns(removed, one))) {
      // what is not allowed any more ends at once, with its calls; a name that may be in a network is asked for again
      if (isNamedIn(removed, server)) void pool.dropAll(server.id);
      else pool.replaceServer(server.id);
    }
    const concerned = servers.filter((one) => concerns([...added, ...removed], one)).map(({ id }) => id);
    watch.refresh(concerned, true);
    // the operator's list counts before
    const isOf = (aliases: readonly string[], { manifest: { connection } }: ServerManifest) =>
      connection.type === 'stdio' &&
      aliases.includes(connection.command) &&
      !Object.hasOwn(options.allowlist, connection.command);
    const ended = servers.filter((one) => isOf(removedPrograms, one));
    for (const { id } of ended) void pool.dropAll(id);
    const asked = servers.filter((one) => isOf([...addedPrograms, ...removedPrograms], one)).map(({ id }) => id);
    watch.refresh(asked, true);
  });
  const secretsChanged = (serverId: string) => {
    pool.replaceServer(serverId);
    watch.refresh([serverId], true);
  };
  entered.onChange(secretsChanged);
  places.onChange(secretsChanged);
  preferences.onUnheard(() => offers.forget(undefined));
  preferences.onChange((userId, serverId) => {
    offers.forget(userId);
    if (userId !== undefined && serverId !== undefined) pool.retire(serverId, userId);
  });
  return {
    pool,
    services,
    programs,
    programWatch,
    watch,
    tests,
    childrenOf: (serverId) =>
      listChildren([
        ...pool.programsOf(serverId),
        ...tests.childrenOf(serverId).map((child) => ({ ...child, use: 'test' as const })),
      ]),
    health,
    files: createPersonFiles({ ...target, catalogue, pool }),
    preferences,
    signIn,
    secrets: administerSecrets({
      ...options,
      emailsOf: options.people.emailsOf,
      secrets: entered,
      needsOf: programs.needsOf,
      environment: config.upstreamSecrets,
      places,
    }),
    offers,
    approveOffer: (serverId, of, decision) => approveOffer(serverId, of, decision, { store: offerStore, catalogue }),
    showOffer: (serverId, of) => showOffer(serverId, of, { store: offerStore, catalogue }),
    beginStop() {
      services.beginStop();
      watch.beginStop();
    },
    async stop() {
      await tests.stop();
      await signIn.stop();
      await preferences.stop();
      await entered.stop();
      await places.stop();
      // Begun first: a discovery that waits for a package's installation then knows why it ends.
      const watched = watch.stop();
      await programs.stop();
      // Discoveries, checks and questions under way end when the pool closes their connections.
      await Promise.all([watched, offers.stop(), pool.stop()]);
      await health.stop();
      await certificates.stop();
      programWatch.stop();
      await services.stop();
    },
  };
}
