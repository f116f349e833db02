import type { Catalogue, ManifestPolicy, PeopleOfServers } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { UnreadAnswers } from '#platform/http/connections/unread-answers.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { Allowances } from './allowances/create-allowances.ts';
import { followAllowances } from './allowances/follow-allowances.ts';
import { createServerCertificates, type ServerCertificates } from './certificates/server-certificates.ts';
import { createConnectionTests, type ConnectionTests } from './connection-test/create-connection-tests.ts';
import { recordHealth, type HealthRecord } from './health/record-health.ts';
import {
  approvePersonalTools,
  comparePersonalTools,
  type ListChange,
} from './personal-tools/approve-personal-tools.ts';
import { createPersonalToolStore } from './personal-tools/personal-tool-store.ts';
import { createPersonalTools, type PersonalTools } from './personal-tools/personal-tools.ts';
import { systemTimers } from './pool/timers.ts';
import { createUpstreamPool, type UpstreamPool } from './pool/upstream-pool.ts';
import { addressOf } from './pool/upstream-target.ts';
import { createPreferences, type Preferences } from './preferences/create-preferences.ts';
import type { ProgramWatch } from './processes/limits/program-watch.ts';
import { listChildren, type Child } from './processes/list-children.ts';
import { openPrograms } from './processes/open-programs.ts';
import { createPersonFiles, type PersonFiles } from './processes/person-files.ts';
import { createServices, type ServicePrograms, type Services } from './processes/run-services.ts';
import type { StdioAllowlist } from './processes/stdio-allowlist.ts';
import type { StdioPrograms } from './processes/stdio-programs.ts';
import { administerSecrets, type SecretAdministration } from './secrets/administer-secrets.ts';
import { openSecrets, type OpenedSecrets } from './secrets/open-secrets.ts';
import { createAccountStore } from './sign-in/account-store.ts';
import { createUpstreamSignIn, type UpstreamSignIn } from './sign-in/create-upstream-sign-in.ts';
import type { TurnLimits } from './watch/ask-turns.ts';
import { createServerWatch, type ServerWatch } from './watch/watch-servers.ts';

/** Everything about reaching MCP servers: the services that we run, open connections, discovery and health. */
export type Upstreams = {
  readonly pool: UpstreamPool;
  readonly services: Services;
  readonly programs: StdioPrograms;
  readonly programWatch: ProgramWatch;
  readonly watch: ServerWatch;
  /** Begins a stop: connections and processes that end from now on are neither reported as failures nor restarted. */
  beginStop(): void;
  readonly tests: ConnectionTests;
  /** Lists the running processes of a server, those of connection tests included. */
  childrenOf(serverId: string): Child[];
  readonly health: HealthRecord;
  readonly files: PersonFiles;
  readonly preferences: Preferences;
  readonly signIn: UpstreamSignIn;
  readonly secrets: SecretAdministration;
  readonly personalTools: PersonalTools;
  /** Sets one user's list of a server as the list that the shop shows (personal-tools/approve-personal-tools.ts). */
  approvePersonalTools(
    serverId: string,
    of: { userId: string; name: string },
    decision: { by: string | undefined; reason: string; shown: string },
  ): Promise<string[]>;
  /** Returns what that approval would change in the shop, and the code of the list for it. */
  comparePersonalTools(
    serverId: string,
    of: { userId: string; name: string },
  ): Promise<{ code: string; changes: ListChange[] }>;
  stop(): Promise<void>;
};

type UpstreamsOptions = {
  db: Database;
  vault: Vault;
  catalogue: Catalogue;
  policy: ManifestPolicy;
  config: Config;
  programs: ServicePrograms;
  allowlist: StdioAllowlist;
  /** Contains npm's own settings; by default this process's environment. */
  environment?: NodeJS.ProcessEnv | undefined;
  people: Pick<PeopleOfServers, 'emailsOf'>;
  subjectKey: Uint8Array;
  allowAddresses: readonly string[];
  allowances: Allowances;
  outgoing: Outgoing;
  /** Whether a user called the server within a day. */
  isUsed: (serverId: string) => boolean;
  askTurns?: TurnLimits | undefined;
  unread: UnreadAnswers;
  clock: Clock;
  ids: Ids;
  log: Log;
};

export async function createUpstreams(options: UpstreamsOptions): Promise<Upstreams> {
  const { catalogue, config, allowances, clock, log } = options;
  const { query, brokers } = options.db;
  const { dataDir, limits, healthIntervalMs: intervalMs, serviceRestartDelayMs: restartDelayMs } = config;
  const services = createServices({ ...options, dataDir, secret: options.ids.secret(32), restartDelayMs });
  const limited = allowances.addresses;
  const preferences = await createPreferences(options);
  const store = createAccountStore(options);
  const { entered, places, secrets, hide } = await openSecrets(options);
  const signIn = createUpstreamSignIn({
    ...options,
    store,
    secrets,
    addressOf: (server) => addressOf(server, { ...options, limited, services }),
    async onChanged(userId, serverId) {
      await preferences.announce(userId, serverId);
      personalTools.signedIn(userId, serverId);
    },
  });
  const { programs, programWatch } = await openPrograms({ ...options, entered });
  const target = {
    dataDir,
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
  const certificates = createServerCertificates({ query, clock, log });
  const maxConnections = limits.upstreamConnections;
  const pool = createUpstreamPool({
    ...target,
    certificates,
    limits,
    maxConnections: { all: maxConnections },
    brokers,
    unread: options.unread,
    clock,
    log,
    events: {
      onListChanged(serverId, userId) {
        watch.listChanged(serverId);
        if (userId !== undefined) personalTools.listChanged(userId, serverId);
      },
      onOpened: (serverId, userId) => personalTools.connected(userId, serverId),
      onLost: (serverId, reason, shared) => {
        if (shared) watch.lost(serverId, reason);
      },
    },
  });
  const { askTurns } = options;
  const paced = { intervalMs, restartDelayMs, maxConnections, askTurns };
  const watch = createServerWatch({ ...options, ...paced, pool, programs, services, hide });
  const tests = await createConnectionTests({ ...options, ...target, secrets, hide, signIn, query });
  const personalToolStore = createPersonalToolStore(options);
  const health = recordHealth({ catalogue, failureOf: watch.failureOf, query, intervalMs, clock, log });
  const { isOf } = signIn;
  const asking = { accounts: store, store: personalToolStore, catalogue, pool, isOf, announce: preferences.announce };
  const personalTools = createPersonalTools({ ...asking, timers: systemTimers, clock, log });
  const running = { pool, services, programs, programWatch, watch, tests, health, preferences, signIn, personalTools };
  const opened = { ...running, entered, places, certificates };
  followAllowances(allowances, { ...options, pool, watch });
  followChanges(opened);
  return {
    ...running,
    childrenOf: (serverId) =>
      listChildren([
        ...pool.programsOf(serverId),
        ...tests.childrenOf(serverId).map((child) => ({ ...child, use: 'test' as const })),
      ]),
    files: createPersonFiles({ ...target, catalogue, pool }),
    secrets: administerSecrets({
      catalogue,
      emailsOf: options.people.emailsOf,
      secrets: entered,
      needsOf: programs.needsOf,
      environment: config.upstreamSecrets,
      places,
    }),
    approvePersonalTools: (serverId, of, decision) =>
      approvePersonalTools(serverId, of, decision, { store: personalToolStore, catalogue }),
    comparePersonalTools: (serverId, of) => comparePersonalTools(serverId, of, { store: personalToolStore, catalogue }),
    beginStop() {
      services.beginStop();
      watch.beginStop();
    },
    stop: () => stopInOrder(opened),
  };
}

type Opened = Omit<
  Upstreams,
  'childrenOf' | 'files' | 'secrets' | 'approvePersonalTools' | 'comparePersonalTools' | 'beginStop' | 'stop'
> &
  Pick<OpenedSecrets, 'entered' | 'places'> & { certificates: ServerCertificates };

/**
 * Replaces connections when the secrets that servers get have changed, and discards cached lists when an account has
 * changed.
 */
function followChanges({ entered, places, preferences, pool, watch, personalTools }: Opened): void {
  const secretsChanged = (serverId: string) => {
    pool.replaceServer(serverId);
    watch.refresh([serverId], true);
  };
  entered.onChange(secretsChanged);
  places.onChange(secretsChanged);
  preferences.onNoticesLost(() => personalTools.forget(undefined));
  preferences.onChange((userId, serverId) => {
    personalTools.forget(userId);
    if (userId !== undefined && serverId !== undefined) pool.retire(serverId, userId);
  });
}

async function stopInOrder(opened: Opened): Promise<void> {
  await opened.tests.stop();
  await opened.signIn.stop();
  await opened.preferences.stop();
  await opened.entered.stop();
  await opened.places.stop();
  // Begun first, so that a discovery that waits for a package's installation knows why it ends.
  const watched = opened.watch.stop();
  await opened.programs.stop();
  // Discoveries, checks and questions under way end when the pool closes their connections.
  await Promise.all([watched, opened.personalTools.stop(), opened.pool.stop()]);
  await opened.health.stop();
  await opened.certificates.stop();
  opened.programWatch.stop();
  await opened.services.stop();
}
