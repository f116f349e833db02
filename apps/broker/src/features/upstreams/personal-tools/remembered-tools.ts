import { monotonicMs, type Clock } from '#platform/clock.ts';
import { createSharedReads } from '#platform/work/shared-reads.ts';
import type { ToolsOfUser } from './tools-of-user.ts';

/**
 * Time for which a list is cached. Every change is announced to every replica; this only limits the effect of a lost
 * notice.
 */
const cacheMs = 5_000;
const maxPeople = 10_000;

/**
 * Caches users' lists, for a few seconds and within a number of bytes.
 * @param read receives the previous lists, so that it reads only those that have changed
 */
export function createRememberedTools(
  read: (userId: string, before: ToolsOfUser | undefined) => Promise<ToolsOfUser>,
  { clock, maxBytes }: { clock: Clock; maxBytes: number },
) {
  /** Entries in the order of their last read: idle users are dropped first. */
  const known = new Map<string, { tools: ToolsOfUser; untilMs: number }>();
  const reads = createSharedReads<ToolsOfUser>();
  let bytes = 0;

  function drop(userId: string): void {
    bytes -= known.get(userId)?.tools.bytes ?? 0;
    known.delete(userId);
  }

  function keep(userId: string, tools: ToolsOfUser, untilMs: number): void {
    drop(userId);
    known.set(userId, { tools, untilMs });
    bytes += tools.bytes;
    for (const other of known.keys()) {
      if (other === userId || (known.size <= maxPeople && bytes <= maxBytes)) break;
      drop(other);
    }
  }

  return {
    /** Returns no promise while the lists are cached: this is on the path of every call. */
    get(userId: string): ToolsOfUser | Promise<ToolsOfUser> {
      const found = known.get(userId);
      if (found && found.untilMs > monotonicMs(clock)) return found.tools;
      return reads.join(
        userId,
        () => read(userId, found?.tools),
        (tools, isCurrent) => keep(userId, tools, isCurrent ? monotonicMs(clock) + cacheMs : 0),
      );
    },
    /** Marks the lists of this user, or of every user if undefined, as outdated. */
    forget(userId: string | undefined): void {
      reads.forget(userId);
      const forgotten = userId === undefined ? known.values() : [known.get(userId)];
      for (const entry of forgotten) if (entry) entry.untilMs = 0;
    },
  };
}
