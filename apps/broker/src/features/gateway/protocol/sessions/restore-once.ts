import type { RequestContext } from '../../view/request-context.ts';
import type { LiveSession } from './live-session.ts';
import { hashOfSession } from './session-store.ts';

type Restore = (hash: string) => Promise<LiveSession | undefined>;

/** Restores sessions from their rows, each only once for all of its concurrent requests. */
export function createRestores(memory: {
  find(id: string): LiveSession | undefined;
  markUsed(used: readonly LiveSession[]): Promise<void>;
  end(session: LiveSession): void;
}) {
  const restoring = new Map<string, Promise<LiveSession | undefined>>();
  /** Hashes and tokens that ended while sessions were being restored. */
  const endedMeanwhile = new Set<string>();

  async function restoreAnew(id: string, { caller }: RequestContext, restore: Restore) {
    const hash = hashOfSession(id);
    const stale = memory.find(id);
    if (stale) {
      // another process may have used it since, or its row may have expired: the row decides
      if (stale.usedAtMs > stale.storedAtMs) await memory.markUsed([stale]);
      memory.end(stale);
    }
    const session = await restore(hash);
    if (!session || (!endedMeanwhile.has(hash) && !endedMeanwhile.has(caller.tokenId))) return session;
    memory.end(session);
    return undefined;
  }

  return {
    once(id: string, context: RequestContext, restore: Restore): Promise<LiveSession | undefined> {
      // the request of another owner must not decide for the owner
      const key = `${context.caller.tokenId} ${context.serverId ?? ''} ${id}`;
      const known = restoring.get(key);
      if (known) return known;
      const made = restoreAnew(id, context, restore).finally(() => {
        restoring.delete(key);
        if (restoring.size === 0) endedMeanwhile.clear();
      });
      restoring.set(key, made);
      return made;
    },
    /** @param key the hash of a session, or a token */
    recordEnd(key: string): void {
      if (restoring.size > 0) endedMeanwhile.add(key);
    },
  };
}
