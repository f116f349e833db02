import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { isBusy, type LiveSession } from './live-session.ts';
import { createRestores } from './restore-once.ts';
import type { SessionStore } from './session-store.ts';

/** How long an unused session stays in memory. Its next request restores it from its row. */
const keepMs = 30 * 60_000;
const maxSessions = 10_000;

export type SessionMemory = ReturnType<typeof createSessionMemory>;

/** The sessions in the memory of this process. A session that leaves memory does not end. */
export function createSessionMemory(options: {
  store: Pick<SessionStore, 'markUsed'>;
  /** Elapsed time. */
  time: Clock;
  clock: Clock;
  log: Log;
}) {
  const { store, time, clock, log } = options;
  const sessions = new Map<string, LiveSession>();
  const byHash = new Map<string, LiveSession>();
  const restores = createRestores({ find: (id) => sessions.get(id), markUsed, end });

  const isStale = (session: LiveSession) => time.now() - session.usedAtMs > keepMs && !isBusy(session);

  /** Ends a session here: running calls are canceled. */
  function end(session: LiveSession): void {
    if (sessions.get(session.id) === session) {
      sessions.delete(session.id);
      byHash.delete(session.hash);
    }
    session.calls.end();
    void session.server.close();
  }

  async function markUsed(used: readonly LiveSession[]): Promise<void> {
    const atMs = time.now();
    await store.markUsed(used.map(({ hash, usedAtMs }) => ({ hash, usedAtMs: clock.now() - (atMs - usedAtMs) })));
    for (const session of used) session.storedAtMs = session.usedAtMs;
  }

  /** The sessions whose rows lack their last use. A session with an open stream is in use. */
  function usedSince(): LiveSession[] {
    const now = time.now();
    return [...sessions.values()].filter((session) => {
      if (isBusy(session)) session.usedAtMs = now;
      return !session.isRetired && session.usedAtMs > session.storedAtMs;
    });
  }

  return {
    /** Returns no promise, for calls. A session whose row may have expired is not returned. */
    get(id: string): LiveSession | undefined {
      const session = sessions.get(id);
      return session && !isStale(session) ? session : undefined;
    },
    ofHash: (hash: string) => byHash.get(hash),
    all: () => sessions.values(),
    add(session: LiveSession): void {
      if (sessions.size >= maxSessions) end(longestUnused([...sessions.values()]));
      sessions.set(session.id, session);
      byHash.set(session.hash, session);
    },
    restoreOnce: restores.once,
    end,
    endHash(hash: string): void {
      restores.recordEnd(hash);
      const session = byHash.get(hash);
      if (session) end(session);
    },
    /** Ends the sessions of a token, each after its running calls. */
    retireOfToken(tokenId: string): void {
      restores.recordEnd(tokenId);
      for (const session of sessions.values()) {
        if (session.context.caller.tokenId !== tokenId || session.isRetired) continue;
        session.isRetired = true;
        session.transport.closeWhenIdle(() => end(session));
      }
    },
    /** Stores when sessions were used, and forgets unused ones. */
    async sweep(): Promise<void> {
      for (const session of sessions.values()) session.events.sweep();
      await markUsed(usedSince());
      for (const session of sessions.values()) if (isStale(session)) end(session);
    },
    get size() {
      return sessions.size;
    },
    async stop(): Promise<void> {
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

function longestUnused(sessions: readonly LiveSession[]): LiveSession {
  const idle = sessions.filter((session) => !isBusy(session));
  return (idle.length > 0 ? idle : sessions).reduce((a, b) => (b.usedAtMs < a.usedAtMs ? b : a));
}
