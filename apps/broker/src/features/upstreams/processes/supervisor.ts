import type { Upstream } from '#adapters/mcp/upstream.ts';
import { UpstreamError, type UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';
import type { Clock } from '#platform/clock.ts';
import type { Timers } from '../pool/timers.ts';
import { createCrashRecord } from './crash-record.ts';
import { createProcessPlaces } from './process-places.ts';

/** Gateway.md, Lifetimes and limits. */
const maxProcesses = 32;
const neverStarted: ReadonlySet<UpstreamErrorKind> = new Set([
  'refused_address',
  'no_sandbox',
  'no_network',
  'not_set_up',
]);

/** Starts programs: up to a fixed number at once, and none that keeps crashing. */
export type Supervisor = {
  /**
   * Starts a program, which takes a place until it is closed.
   * @param identity whose process it is: each has its own record of crashes
   * @throws UpstreamError of `open`; busy with every place taken; quarantined, restarting after crashes
   */
  start(identity: ProcessIdentity, open: () => Promise<Upstream>): Promise<Upstream>;
  /** A process ended that we had not ended. */
  crashed(identity: ProcessIdentity): void;
  /** A process became idle. */
  becameIdle(): void;
  /** Processes of this server may be started again, in spite of earlier crashes. */
  reset(serverId: string): void;
  tidy(): void;
  stop(): void;
};

export type ProcessIdentity = { serverId: string; userId: string | undefined };

export function createSupervisor(options: { clock: Clock; timers: Timers; evictIdle: () => void }): Supervisor {
  const crashes = createCrashRecord(options.clock);
  const places = createProcessPlaces({ max: maxProcesses, timers: options.timers, evictIdle: options.evictIdle });
  const nameOf = ({ serverId, userId }: ProcessIdentity) => `${serverId}/${userId ?? ''}`;

  return {
    async start(identity, open) {
      crashes.check(nameOf(identity));
      const giveBack = await places.take(identity.userId ?? '');
      try {
        const upstream = await open();
        return { ...upstream, close: () => upstream.close().finally(giveBack) };
      } catch (error) {
        giveBack();
        if (error instanceof UpstreamError && !neverStarted.has(error.kind)) crashes.crashed(nameOf(identity));
        throw error;
      }
    },
    crashed: (identity) => crashes.crashed(nameOf(identity)),
    becameIdle: places.becameIdle,
    reset: (serverId) => crashes.reset(`${serverId}/`),
    tidy: crashes.tidy,
    stop: () => places.refuseAll(new UpstreamError('closed', 'the broker is stopping')),
  };
}
