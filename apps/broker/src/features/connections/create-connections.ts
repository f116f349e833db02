import { noPrograms, openSandbox, type Sandbox } from '#adapters/mcp/sandbox.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createPreferences, type Preferences } from './preferences/create-preferences.ts';
import { createServices, type ServicePrograms, type Services } from './run-services.ts';
import type { StdioAllowlist } from './stdio-allowlist.ts';
import { createUpstreamPool, type UpstreamPool } from './upstream-pool.ts';
import { createUpstreamSignIn, type UpstreamSignIn } from './upstream-sign-in/create-upstream-sign-in.ts';
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
  const services = createServices({
    programs: options.programs,
    dataDir: config.dataDir,
    secret: options.ids.secret(32),
    restartDelayMs: config.serviceRestartDelayMs,
    clock,
    log,
  });
  const preferences = await createPreferences(options);
  const signIn = createUpstreamSignIn({
    ...options,
    addressOf: (server) => addressOf(server, { services, allowAddresses: options.allowAddresses }),
    onChanged: (userId, serverId) => preferences.announce(userId, serverId),
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
      onListChanged: (serverId) => watch.listChanged(serverId),
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
  preferences.onChange((userId, serverId) => {
    if (userId !== undefined && serverId !== undefined) pool.retire(serverId, userId);
  });
  return {
    pool,
    services,
    watch,
    preferences,
    signIn,
    async stop() {
      await preferences.stop();
      await watch.stop();
      await pool.stop();
      await services.stop();
    },
  };
}

async function sandboxFor(config: Config, log: Log): Promise<Sandbox> {
  return config.stdio === 'off' ? noPrograms : openSandbox({ required: config.production, log });
}
