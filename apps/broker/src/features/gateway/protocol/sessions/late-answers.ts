import type { Log } from '#platform/log.ts';
import type { LiveSession } from './live-session.ts';
import type { SessionMessages, StoredMessage } from './session-messages.ts';
import type { Stray } from './stray.ts';
import { hearsOfOver, questionOver } from './tell-over.ts';

/** How long the process that asked a question may take to fetch the answer. */
const fetchMs = 3000;

/** Answers that were passed on. One that no process fetches is for a question that is over, and its client is told so. */
export function createLateAnswers({
  messages,
  passOn,
  log,
}: {
  messages: Pick<SessionMessages, 'take'>;
  passOn(session: LiveSession, stray: Stray): Promise<void>;
  log: Log;
}) {
  const waits = new Set<NodeJS.Timeout>();

  async function tellOver(session: LiveSession): Promise<void> {
    if (!hearsOfOver(session)) return;
    if (session.transport.hasOwnStream) await session.transport.send(questionOver);
    else await passOn(session, { kind: 'notice', target: undefined, message: questionOver });
  }

  return {
    watch(session: LiveSession, answer: StoredMessage): void {
      const wait = setTimeout(() => {
        waits.delete(wait);
        const tell = async () => (await messages.take(answer)) !== undefined && tellOver(session);
        tell().catch((error: unknown) => log.debug({ err: error }, 'a late answer could not be told'));
      }, fetchMs).unref();
      waits.add(wait);
    },
    stop(): void {
      for (const wait of waits) clearTimeout(wait);
    },
  };
}
