import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { isBusy, type LiveSession } from './live-session.ts';
import { hashOfSession, type SessionStore } from './session-store.ts';

/** A session that is not used leaves memory: its next request takes it up again from its row. */
const keepMs = 30 * 60_000;
const maxSessions = 10_000;

/** The sessions that this process has in memory. To leave memory is not to end. */
export type SessionMemory = {
  /** Without a promise, for calls. A session whose row may have expired is not answered. */
  get(id: string): LiveSession | undefined;
  ofHash(hash: string): LiveSession | undefined;
  all(): Iterable<LiveSession>;
  add(session: LiveSession): void;
  /** Restores a session once, however many of its requests come at the same time. */
  restoreOnce(
    id: string,
    context: RequestContext,
    restore: (hash: string) => Promise<LiveSession | undefined>,
  ): Promise<LiveSession | undefined>;
  /** Ends a session here: running calls are cancelled. */
  end(session: LiveSession): void;
  endHash(hash: string): void;
  /** Ends the sessions of a token, each after its running calls. */
  retireOfToken(tokenId: string): void;
  /** Stores when sessions were used, and forgets those that were not. */
  sweep(): Promise<void>;
  readonly size: number;
  stop(): Promise<void>;
};

export function createSessionMemory(options: {
  store: Pick<SessionStore, 'markUsed'>;
  /** Elapsed time. */
  time: Clock;
  clock: Clock;
  log: Log;
}): SessionMemory {
  const { store, time, clock, log } = options;
  const sessions = new Map<string, LiveSession>();
  const byHash = new Map<string, LiveSession>();
  const restoring = new Map<string, Promise<LiveSession | undefined>>();
  /** Hashes and tokens that ended while sessions were being restored. */
  const endedMeanwhile = new Set<string>();

  const isStale = (session: LiveSession) => time.now() - session.usedAtMs > keepMs && !isBusy(session);

  function end(session: LiveSession): void {
    if (sessions.get(session.id) === session) {
      sessions.delete(session.id);
      byHash.delete(session.hash);
    }
    session.calls.end();
    void session.server.close();
  }

  function noteEnd(key: string): void {
    if (restoring.size > 0) endedMeanwhile.add(key);
  }

  async function markUsed(used: readonly LiveSession[]): Promise<void> {
    const atMs = time.now();
    await store.markUsed(used.map(({ hash, usedAtMs }) => ({ hash, usedAtMs: clock.now() - (atMs - usedAtMs) })));
    for (const session of used) session.storedAtMs = session.usedAtMs;
  }

  /** The sessions whose rows do not know of their last use. A session with an open stream is in use. */
  function usedSince(): LiveSession[] {
    const now = time.now();
    return [...sessions.values()].filter((session) => {
      if (isBusy(session)) session.usedAtMs = now;
      return !session.isRetired && session.usedAtMs > session.storedAtMs;
    });
  }

  async function restoreAnew(
    id: string,
    { caller }: RequestContext,
    restore: (hash: string) => Promise<LiveSession | undefined>,
  ): Promise<LiveSession | undefined> {
    const hash = hashOfSession(id);
    const stale = sessions.get(id);
    if (stale) {
      // another process may have used it since, or its row may have expired: the row decides
      if (stale.usedAtMs > stale.storedAtMs) await markUsed([stale]);
      end(stale);
    }
    const session = await restore(hash);
    if (!session || (!endedMeanwhile.has(hash) && !endedMeanwhile.has(caller.tokenId))) return session;
    end(session);
    return undefined;
  }

  return {
    get(id) {
      const session = sessions.get(id);
      return session && !isStale(session) ? session : undefined;
    },
    ofHash: (hash) => byHash.get(hash),
    all: () => sessions.values(),
    add(session) {
      if (sessions.size >= maxSessions) {
        const idle = [...sessions.values()].filter((other) => !isBusy(other));
        const oldest = (idle.length > 0 ? idle : [...sessions.values()]).reduce((a, b) =>
          b.usedAtMs < a.usedAtMs ? b : a,
        );
        end(oldest);
      }
      sessions.set(session.id, session);
      byHash.set(session.hash, session);
    },
    restoreOnce(id, context, restore) {
      // a request of another owner must not decide for the owner's
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
    end,
    endHash(hash) {
      noteEnd(hash);
      const session = byHash.get(hash);
      if (session) end(session);
    },
    retireOfToken(tokenId) {
      noteEnd(tokenId);
      for (const session of sessions.values()) {
        if (session.context.caller.tokenId !== tokenId || session.isRetired) continue;
        session.isRetired = true;
        session.transport.closeWhenIdle(() => end(session));
      }
    },
    async sweep() {
      for (const session of sessions.values()) session.events.sweep();
      await markUsed(usedSince());
      for (const session of sessions.values()) if (isStale(session)) end(session);
    },
    get size() {
      return sessions.size;
    },
    async stop() {
      await markUsed(usedSince()).catch((error: unknown) => {
        log.warn({ err: error }, 'the use of sessions could not be stored');
      });
      const open = [...sessions.values()];
      sessions.clear();
      byHash.clear();
      for (const { calls } of open) calls.end();
      await Promise.all(open.map(({ server }) => server.close()));
    },
  };
}
