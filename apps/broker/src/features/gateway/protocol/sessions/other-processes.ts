import type { Log } from '#platform/log.ts';
import { followSubscriptions, type LiveSession } from './live-session.ts';
import type { SessionMail } from './session-mail.ts';
import type { SessionMemory } from './session-memory.ts';
import type { SessionNotice } from './session-notices.ts';
import type { SessionStore } from './session-store.ts';

export type OtherProcesses = ReturnType<typeof followOtherProcesses>;

/** Applies what happens to sessions in other processes to the copies in the memory of this one. */
export function followOtherProcesses(parts: {
  store: Pick<SessionStore, 'readLogLevels'>;
  memory: SessionMemory;
  mail: SessionMail;
  log: Log;
}) {
  const { store, memory, mail, log } = parts;

  function follow(session: LiveSession, mayHaveChanged: boolean): void {
    followSubscriptions(session, mayHaveChanged).catch((error: unknown) => {
      log.warn({ err: error }, 'the subscriptions of a session could not be read');
    });
  }

  /** @param mayHaveChanged whether clients are notified of what may have changed */
  async function reload(mayHaveChanged: boolean): Promise<void> {
    const known = [...memory.all()];
    try {
      const levels = await store.readLogLevels(known.map(({ hash }) => hash));
      for (const session of known) {
        if (levels.has(session.hash)) session.context.logLevel = levels.get(session.hash);
        else if (!session.isRetired) memory.end(session);
      }
      for (const waiting of await mail.waiting(known.map(({ hash }) => hash))) await mail.deliver(waiting);
      for (const session of known)
        if (session.transport.hasOwnStream) await followSubscriptions(session, mayHaveChanged);
    } catch (error) {
      log.warn({ err: error }, 'the sessions could not be reread');
    }
  }

  return {
    follow,
    notice(notice: SessionNotice): void {
      if (notice.kind === 'ended') return memory.endHash(notice.session);
      if (notice.kind === 'message') return void mail.deliver(notice.message);
      const session = memory.ofHash(notice.session);
      if (notice.kind === 'subscriptions') return session && follow(session, false);
      if (session) session.context.logLevel = notice.level;
    },
    /** Notices may have been missed. */
    missed: () => void reload(true),
    /** No notices come for now. */
    unheard: () => void reload(false),
  };
}
