import type { Upstream } from '#adapters/mcp/upstream.ts';
import { UpstreamError, type UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Timers } from '../pool/timers.ts';
import { createCrashRecord, quarantinedText } from './crash-record.ts';
import { createProcessPlaces } from './process-places.ts';

const maxProcesses = 32;
/**
 * Reasons for which a program stops or does not start, and that are no crash: it can be restarted as soon as they are
 * resolved.
 */
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

export type ProcessIdentity = { serverId: string; userId: string | undefined };

/** Starts up to 32 programs, and does not restart those that keep crashing. */
export function createSupervisor(options: { clock: Clock; timers: Timers; log: Log; evictIdle: () => void }) {
  const crashes = createCrashRecord(options.clock);
  const places = createProcessPlaces({ max: maxProcesses, timers: options.timers, evictIdle: options.evictIdle });
  const nameOf = ({ serverId, userId }: ProcessIdentity) => `${serverId}/${userId ?? ''}`;
  const crashed = (identity: ProcessIdentity, why: UpstreamError | undefined) => {
    if (!crashes.crashed(nameOf(identity), why)) return;
    const { serverId, userId } = identity;
    options.log.warn({ server: serverId, ...(userId !== undefined && { userId }) }, quarantinedText(serverId));
  };

  return {
    /**
     * Starts a program, which occupies a place until it is closed.
     * @param identity server and owner of the process: crashes are recorded per identity
     * @throws UpstreamError of `open`; busy when every place is taken; quarantined, restarting after crashes
     */
    async start(identity: ProcessIdentity, open: () => Promise<Upstream>): Promise<Upstream> {
      crashes.check(nameOf(identity), identity.serverId);
      const release = await places.take(identity.userId ?? '');
      try {
        const upstream = await open();
        return { ...upstream, close: () => upstream.close().finally(release) };
      } catch (error) {
        release();
        if (error instanceof UpstreamError && !noCrash.has(error.kind)) crashed(identity, error);
        throw error;
      }
    },
    /** Records that a process ended that this broker did not end. */
    ended(identity: ProcessIdentity, why: UpstreamError | undefined): void {
      if (why === undefined || !noCrash.has(why.kind)) crashed(identity, why);
    },
    becameIdle: places.becameIdle,
    /** Lets processes of this server restart despite earlier crashes. */
    reset: (serverId: string): void => crashes.reset(`${serverId}/`),
    tidy: crashes.tidy,
    stop: (): void => places.refuseAll(new UpstreamError('closed', 'the broker is stopping')),
  };
}

export type Supervisor = ReturnType<typeof createSupervisor>;
