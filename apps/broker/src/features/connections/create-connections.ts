import { noPrograms, openSandbox, type Sandbox } from '#adapters/mcp/sandbox.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { moveOldFolders } from './personal-folders.ts';
import { createPreferences, type Preferences } from './preferences/create-preferences.ts';
import { createServices, type ServicePrograms, type Services } from './run-services.ts';
import type { StdioAllowlist } from './stdio-allowlist.ts';
import { systemTimers } from './timers.ts';
import { createUpstreamPool, type UpstreamPool } from './upstream-pool.ts';
import { createConnectionStore } from './upstream-sign-in/connection-store.ts';
import { createUpstreamSignIn, type UpstreamSignIn } from './upstream-sign-in/create-upstream-sign-in.ts';
import { createPersonalOffers, type PersonalOffers } from './upstream-sign-in/personal-offers.ts';
import { addressOf } from './upstream-target.ts';
import { createServerWatch, type ServerWatch } from './watch-servers.ts';

/** Everything about reaching upstream servers: the services that we run, open connections, discovery and health. */
export type Connections = {
  readonly pool: UpstreamPool;
  readonly services: Services;
  readonly watch: ServerWatch;
  /** What each person has switched off. */
  readonly preferences: Preferences;
  /** Each person's own sign-in at servers that want one. */
  readonly signIn: UpstreamSignIn;
  /** What each person's own connections offer. */
  readonly offers: PersonalOffers;
  stop(): Promise<void>;
};

export async function createConnections(options: {
  db: Database;
  vault: Vault;
  catalogue: Catalogue;
  config: Config;
  programs: ServicePrograms;
  allowlist: StdioAllowlist;
  /** By default the one of this machine. */
  sandbox?: Sandbox;
  subjectKey: Uint8Array;
  allowAddresses: readonly string[];
  clock: Clock;
  ids: Ids;
  log: Log;
}): Promise<Connections> {
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
  const store = createConnectionStore(options);
  const signIn = createUpstreamSignIn({
    ...options,
    store,
    addressOf: (server) => addressOf(server, { services, allowAddresses: options.allowAddresses }),
    async onChanged(userId, serverId) {
      await preferences.announce(userId, serverId);
      offers.signedIn(userId, serverId);
    },
  });
  const pool = createUpstreamPool({
    dataDir: config.dataDir,
    services,
    allowlist: options.allowlist,
    sandbox: options.sandbox ?? (await sandboxFor(config, log)),
    subjectKey: options.subjectKey,
    allowAddresses: options.allowAddresses,
    credentials: signIn.credentials,
    limits: config.limits,
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
    services,
    intervalMs: config.healthIntervalMs,
    restartDelayMs: config.serviceRestartDelayMs,
    clock,
    log,
  });
  const offers = createPersonalOffers({
    store,
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
    watch,
    preferences,
    signIn,
    offers,
    async stop() {
      await preferences.stop();
      await watch.stop();
      // what is still asked ends with its connection
      const asked = offers.stop();
      await pool.stop();
      await asked;
      await services.stop();
    },
  };
}

async function sandboxFor(config: Config, log: Log): Promise<Sandbox> {
  return config.stdio === 'off' ? noPrograms : openSandbox({ required: config.production, log });
}
