import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { createLateAnswers } from './late-answers.ts';
import type { LiveSession } from './live-session.ts';
import type { SessionMemory } from './session-memory.ts';
import { createSessionMessages } from './session-messages.ts';
import type { Stray, Waiting } from './stray.ts';

/** Answers and cancellations of a token that are passed on to other processes. */
const passedOnPerMinute = 600;

export type SessionMail = ReturnType<typeof createSessionMail>;

/** Passes messages of sessions on to other processes, and delivers those that other processes passed on. */
export function createSessionMail(parts: {
  memory: Pick<SessionMemory, 'ofHash'>;
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
}) {
  const { memory, log } = parts;
  const messages = createSessionMessages(parts);
  const rate = createRateLimit(passedOnPerMinute, parts.clock);
  const lateAnswers = createLateAnswers({ messages, passOn, log });

  async function passOn(session: LiveSession, stray: Stray): Promise<void> {
    if (!rate.take(session.context.caller.tokenId)) return;
    const sent = await messages.send(session, stray);
    if (!sent || stray.kind !== 'answer') return;
    lateAnswers.watch(session, sent);
  }

  /** Delivers a message that reached another process, if it is meant for this one. */
  async function deliver(waiting: Waiting): Promise<void> {
    const session = memory.ofHash(waiting.session);
    if (!session?.transport.awaits(waiting)) return;
    try {
      const message = await messages.take(waiting);
      if (message === undefined || session.subscriptions.isKnown(message)) return;
      session.calls.handle(message);
      await session.transport.deliver(waiting, message);
    } catch (error) {
      log.warn({ err: error }, 'a message of a session could not be delivered');
    }
  }

  return { passOn, deliver, waiting: messages.waiting, removeExpired: messages.removeExpired, stop: lateAnswers.stop };
}
