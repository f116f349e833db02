import { randomUUID } from 'node:crypto';
import { ensurePartitions } from '#features/usage/index.ts';
import { systemClock, type Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { openMasterKey } from '#platform/crypto/master-key.ts';
import { loadKeptKey } from '#platform/crypto/kept-keys.ts';
import { followRotations, openVault } from '#platform/crypto/open-vault.ts';
import type { KeyRing } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createDownloads, type Downloads } from '#platform/http/answers/downloads.ts';
import { createKeepAlive, type KeepAlive } from '#platform/http/connections/keep-alive.ts';
import { thisMachine } from '#platform/http/connections/connection-limits.ts';
import { createUnreadAnswers, type UnreadAnswers } from '#platform/http/connections/unread-answers.ts';
import { createIds, type Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { openTelemetry, type Telemetry } from '#platform/telemetry/open-telemetry.ts';
import type { AppOptions } from '../app-types.ts';
import { connectOutgoing, type Outbound } from './connect-outgoing.ts';
import { migrations } from '../migrations.ts';
import { paths as bundledPaths, type Paths } from '../paths.ts';
import { version } from '../version.ts';

/** The parts that every feature is built on. */
export type Platform = {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly paths: Paths;
  readonly db: Database;
  readonly masterKey: string;
  /** Seals and opens secrets with the master key, or with the key that it is rotated to. */
  readonly vault: KeyRing;
  /** Returns the key for one purpose, which no rotation of the master key changes. */
  keptKey(purpose: string): Promise<Buffer>;
  /** Stops listening for rotations of the master key. */
  stopListening(): Promise<void>;
  readonly keepAlive: KeepAlive;
  readonly unread: UnreadAnswers;
  readonly downloads: Downloads;
  readonly outbound: Outbound;
  /** Traces and metrics for a collector; undefined if none is configured. */
  readonly telemetry: Telemetry | undefined;
};

/** Opens and migrates the database with its keys, and builds what features share to receive and send requests. */
export async function openPlatform(options: AppOptions): Promise<Platform> {
  const { config, log } = options;
  const clock = options.clock ?? systemClock;
  const open = () => openDatabase({ ...config, log, migrations });
  const opened = options.db ?? (config.databaseUrl === undefined ? undefined : await open());
  const masterKey = await openMasterKey(config, opened);
  const vault = openVault(config);
  // creates a new embedded database only after its key
  const db = opened ?? (await open());
  await migrate(db, migrations, version);
  const stopListening = await followRotations(db, vault, log);
  await ensurePartitions(db, clock.now());
  return {
    config,
    log,
    clock,
    ids: options.ids ?? createIds(clock),
    paths: options.paths ?? bundledPaths,
    db,
    masterKey,
    vault,
    keptKey: (purpose) => loadKeptKey(purpose, { query: db.query, vault, masterKey }),
    stopListening,
    keepAlive: createKeepAlive(options.keepAlive),
    unread: createUnreadAnswers({ shared: [...config.trustProxy, ...thisMachine], ...options.unread }),
    downloads: createDownloads(),
    outbound: connectOutgoing(config.outgoingProxy, log, options.resolve),
    telemetry: config.telemetry && (await openTelemetry(config.telemetry, { version, instanceId: randomUUID(), log })),
  };
}
