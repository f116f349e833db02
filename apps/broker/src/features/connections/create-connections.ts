import type { Catalogue } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createServices, type ServicePrograms, type Services } from './run-services.ts';
import type { StdioAllowlist } from './stdio-allowlist.ts';
import { createUpstreamPool, type UpstreamPool } from './upstream-pool.ts';
import { createServerWatch, type ServerWatch } from './watch-servers.ts';

/** Everything about reaching upstream servers: the services that we run, open connections, discovery and health. */
export type Connections = {
  readonly pool: UpstreamPool;
  readonly services: Services;
  readonly watch: ServerWatch;
  stop(): Promise<void>;
};

export function createConnections(options: {
  catalogue: Catalogue;
  config: Config;
  programs: ServicePrograms;
  allowlist: StdioAllowlist;
  subjectKey: Uint8Array;
  allowAddresses: readonly string[];
  clock: Clock;
  ids: Ids;
  log: Log;
}): Connections {
  const { catalogue, config, clock, log } = options;
  const services = createServices({
    programs: options.programs,
    dataDir: config.dataDir,
    secret: options.ids.secret(32),
    restartDelayMs: config.serviceRestartDelayMs,
    clock,
    log,
  });
  const pool = createUpstreamPool({
    dataDir: config.dataDir,
    services,
    allowlist: options.allowlist,
    subjectKey: options.subjectKey,
    allowAddresses: options.allowAddresses,
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
  return {
    pool,
    services,
    watch,
    async stop() {
      await watch.stop();
      await pool.stop();
      await services.stop();
    },
  };
}
