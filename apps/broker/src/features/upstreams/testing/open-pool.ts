import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sandbox } from '#adapters/mcp/transports/sandbox.ts';
import { readConfig } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { compileCache } from '#testing/compile-cache.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import type { StdioAllowlist } from '../processes/stdio-allowlist.ts';
import type { ConnectionLimits } from '../pool/connection-limits.ts';
import { createProgramWatch } from '../processes/limits/watch-programs.ts';
import { createPackageInstaller } from '../processes/package-installer.ts';
import { createStdioPrograms } from '../processes/stdio-programs.ts';
import type { Timers } from '../pool/timers.ts';
import { createUpstreamPool, type UpstreamPool } from '../pool/upstream-pool.ts';
import { createManualTime } from './manual-time.ts';

const smallStdio = fileURLToPath(new URL('../../../testing/servers/small-stdio.ts', import.meta.url));
const small = (env: Record<string, string>, ...args: string[]) => ({
  argv: ['{node}', smallStdio, ...args],
  env,
  reads: [smallStdio],
  secrets: [],
  network: false as const,
});
const programs = (env: Record<string, string>): StdioAllowlist => ({
  files: small(env),
  fault: small(env, 'crash-at-start'),
  lingers: small(env, 'lingers'),
});

/** Opens the pool without the broker, with small programs as servers and a clock that the test controls. */
export async function openPool(
  options: {
    timers?: Timers;
    sandbox?: Sandbox;
    allowAddresses?: readonly string[];
    maxConnections?: ConnectionLimits;
  } = {},
): Promise<{
  pool: UpstreamPool;
  dataDir: string;
  subjectKey: Uint8Array;
  time: ReturnType<typeof createManualTime>;
  lost: string[];
  close(): Promise<void>;
}> {
  const dataDir = await mkdtemp(join(temporaryRoot(), 'pool-'));
  const subjectKey = new Uint8Array(32);
  const time = createManualTime();
  const lost: string[] = [];
  const pool = createUpstreamPool({
    dataDir,
    services: {
      secret: '',
      address: () => undefined,
      restartsInMs: () => undefined,
      start: async () => {},
      onChange: () => {},
      pids: () => new Map(),
      beginStop: () => {},
      stop: async () => {},
    },
    programs: createStdioPrograms({
      allowlist: programs(options.sandbox ? {} : compileCache()),
      config: { stdio: 'allowlist', stdioAllowlist: undefined },
      secrets: new Map(),
      entered: { find: () => undefined, valuesOf: () => [] },
      packages: createPackageInstaller({ dataDir, wanted: [], environment: {}, clock: time.clock }),
      log: createLog('silent'),
      sandbox: options.sandbox ?? { confines: false, wrap: ({ argv, cwd, env }) => ({ argv, cwd, env }) },
    }),
    programWatch: createProgramWatch({ dataDir, limits: readConfig({}).programLimits, log: createLog('silent') }),
    subjectKey,
    allowAddresses: options.allowAddresses ?? [],
    publicNeedsTls: false,
    credentials: () => undefined,
    limits: { callsInFlightPerServer: undefined, callsInFlightPerUser: 16 },
    clock: time.clock,
    timers: options.timers ?? time.timers,
    maxConnections: options.maxConnections ?? { all: 2048 },
    log: createLog('silent'),
    events: { onListChanged: () => {}, onLost: (serverId) => lost.push(serverId) },
  });
  return {
    pool,
    dataDir,
    subjectKey,
    time,
    lost,
    async close() {
      await pool.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
