import type { Upstream } from '#adapters/mcp/upstream.ts';
import { UpstreamError, type UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Timers } from '../pool/timers.ts';
import { createCrashRecord, quarantinedText } from './crash-record.ts';
import { createProcessPlaces } from './process-places.ts';

/** Gateway.md, Lifetimes and limits. */
const maxProcesses = 32;
/** What stops a program without being a crash: it can be started again as soon as that has changed. */
const noCrash: ReadonlySet<UpstreamErrorKind> = new Set([
  'folder_full',
  'shared_folder_full',
  'disk_full',
  'refused_address',
  'no_sandbox',
  'no_network',
  'not_allowed',
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
  ended(identity: ProcessIdentity, why: UpstreamError | undefined): void;
  /** A process became idle. */
  becameIdle(): void;
  /** Processes of this server may be started again, in spite of earlier crashes. */
  reset(serverId: string): void;
  tidy(): void;
  stop(): void;
};

export type ProcessIdentity = { serverId: string; userId: string | undefined };

export function createSupervisor(options: {
  clock: Clock;
  timers: Timers;
  log: Log;
  evictIdle: () => void;
}): Supervisor {
  const crashes = createCrashRecord(options.clock);
  const places = createProcessPlaces({ max: maxProcesses, timers: options.timers, evictIdle: options.evictIdle });
  const crashed = ({ serverId, userId }: ProcessIdentity, why: UpstreamError | undefined) => {
    if (!crashes.crashed(nameOf({ serverId, userId }), why)) return;
    options.log.warn({ server: serverId, ...(userId !== undefined && { userId }) }, quarantinedText(serverId));
  };
  const nameOf = ({ serverId, userId }: ProcessIdentity) => `${serverId}/${userId ?? ''}`;

  return {
    async start(identity, open) {
      crashes.check(nameOf(identity), identity.serverId);
      const giveBack = await places.take(identity.userId ?? '');
      try {
        const upstream = await open();
        return { ...upstream, close: () => upstream.close().finally(giveBack) };
      } catch (error) {
        giveBack();
        if (error instanceof UpstreamError && !noCrash.has(error.kind)) crashed(identity, error);
        throw error;
      }
    },
    ended(identity, why) {
      if (why === undefined || !noCrash.has(why.kind)) crashed(identity, why);
    },
    becameIdle: places.becameIdle,
    reset: (serverId) => crashes.reset(`${serverId}/`),
    tidy: crashes.tidy,
    stop: () => places.refuseAll(new UpstreamError('closed', 'the broker is stopping')),
  };
}
