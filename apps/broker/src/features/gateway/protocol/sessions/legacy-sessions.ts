import type { IncomingMessage, ServerResponse } from 'node:http';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { SessionCalls } from '../../fast-path/session-calls.ts';
import type { ListChanges, ListKind } from '../../view/list-changes.ts';
import type { RequestContext } from '../../view/request-context.ts';
import type { RequestExtra } from '../request-extra.ts';
import { followOtherProcesses } from './other-processes.ts';
import { sameOwner, serveLegacy } from './serve-session.ts';
import { createSessionMail } from './session-mail.ts';
import { createSessionMemory } from './session-memory.ts';
import { listenToSessions } from './session-notices.ts';
import type { SessionParts } from './session-parts.ts';
import { createSessionStore } from './session-store.ts';
import { createStoredSubscriptions } from './stored-subscriptions.ts';

const sweepIntervalMs = 60_000;

/** Sessions of clients up to 2025-11-25. Only the token and link that opened a session can use it; others get 404. */
export async function createLegacySessions(
  options: Pick<SessionParts, 'build' | 'subscriptions' | 'ids' | 'log'> & { db: Database; clock: Clock },
) {
  const { db, log, clock } = options;
  const time = elapsedTime(clock);
  const store = createSessionStore({ db, clock });
  const memory = createSessionMemory({ store, time, clock, log });
  const mail = createSessionMail({ ...options, memory });
  const others = followOtherProcesses({ store, memory, mail, log });
  const notices = await listenToSessions(db, log, others);
  const stored = createStoredSubscriptions(db);
  const parts: SessionParts = { ...options, stored, store, memory, mail, others, notices, time };

  const sweep = setInterval(() => {
    memory.sweep().catch((error: unknown) => log.warn({ err: error }, 'the use of sessions could not be stored'));
  }, sweepIntervalMs);
  sweep.unref();

  function endStreams(): void {
    for (const { transport } of memory.all()) transport.closeStandaloneSSEStream();
  }

  return {
    handle: (request: IncomingMessage, response: ServerResponse, extra: RequestExtra, body: unknown): Promise<void> =>
      serveLegacy(request, response, extra, body, parts),

    /** The session's calls, for a fast-path call, if the session is in memory and belongs to this token and link. */
    enterCall(id: string | string[] | undefined, context: RequestContext): SessionCalls | undefined {
      const session = typeof id === 'string' ? memory.get(id) : undefined;
      if (!session || session.isRetired || !sameOwner(session.context, context)) return undefined;
      // only calls through the SDK pass the log level to the server
      if (session.context.logLevel !== undefined) return undefined;
      session.usedAtMs = time.now();
      session.context.caller = context.caller;
      return session.calls;
    },

    /**
     * Ends the sessions of a revoked token: they take no more requests and their GET streams end immediately; running calls are
     * answered first. If the token is unknown (undefined), all GET streams end: clients that open them again are
     * authenticated again, as with every request.
     */
    endForToken(tokenId: string | undefined): void {
      if (tokenId === undefined) return endStreams();
      memory.retireOfToken(tokenId);
      store.removeOfToken(tokenId).catch((error: unknown) => {
        // nothing can use them, and they expire
        log.warn({ err: error }, 'the sessions of a revoked token could not be removed');
      });
    },

    /** Ends the streams that belong to no call. Clients open them again. */
    endStreams,

    /** Notifies the sessions whose lists changed; all sessions if that is unknown (undefined). */
    notifyListChanged(changes?: ListChanges): void {
      for (const { server, context, isRetired } of memory.all()) {
        const changed = isRetired ? [] : changes?.(context);
        const has = (kind: ListKind) => changed?.includes(kind) ?? true;
        const { prompts, resources } = server.server.getCapabilities();
        if (has('tools')) server.sendToolListChanged();
        // only announce changes of lists that the session knows
        if (prompts && has('prompts')) server.sendPromptListChanged();
        if (resources && has('resources')) server.sendResourceListChanged();
      }
    },

    /** Removes the rows of sessions that have been idle for too long, and of messages that no process took. */
    async removeExpired(): Promise<void> {
      await store.removeExpired();
      await mail.removeExpired();
    },

    get size(): number {
      return memory.size;
    },

    async stop(): Promise<void> {
      clearInterval(sweep);
      mail.stop();
      await notices.stop();
      await memory.stop();
    },
  };
}
