import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '#platform/log.ts';
import { temporaryRoot } from '#testing/databases.ts';
import type { StdioAllowlist } from '../stdio-allowlist.ts';
import type { Timers } from '../timers.ts';
import { createUpstreamPool, type UpstreamPool } from '../upstream-pool.ts';
import { createManualTime } from './manual-time.ts';

const smallStdio = join(import.meta.dirname, '../../../testing/small-stdio.ts');
const allowlist: StdioAllowlist = {
  files: { argv: ['{node}', smallStdio], env: {} },
  fault: { argv: ['{node}', smallStdio, 'crash-at-start'], env: {} },
};

/** The pool alone, with small programs as servers and a clock that the test moves. */
export async function openPool(
  timers?: Timers,
): Promise<{ pool: UpstreamPool; time: ReturnType<typeof createManualTime>; lost: string[]; close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(temporaryRoot(), 'pool-'));
  const time = createManualTime();
  const lost: string[] = [];
  const pool = createUpstreamPool({
    dataDir,
    services: {
      secret: '',
      address: () => undefined,
      start: async () => {},
      onChange: () => {},
      names: new Set(),
      pids: () => new Map(),
      stop: async () => {},
    },
    allowlist,
    subjectKey: new Uint8Array(32),
    allowAddresses: [],
    credentials: () => undefined,
    limits: { callsInFlightPerServer: undefined, callsInFlightPerUser: 16 },
    clock: time.clock,
    timers: timers ?? time.timers,
    log: createLog('silent'),
    events: { onListChanged: () => {}, onLost: (serverId) => lost.push(serverId) },
  });
  return {
    pool,
    time,
    lost,
    async close() {
      await pool.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
