import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { logLevels } from '#adapters/mcp/upstream.ts';
import type { Log } from '#platform/log.ts';
import type { LiveSession } from './live-session.ts';
import type { SessionMessages, StoredMessage } from './session-messages.ts';
import type { Stray } from './stray.ts';

/** How long the process that asked a question may take to fetch the answer. */
const fetchMs = 3000;
const level = 'warning';

/**
 * Says that an answer came for a question that is over, for example after a restart of the gateway. It is a log message: the
 * answer itself gets 202, because clients of SDK 1.x for Python close their connection if an answer is refused.
 */
const questionOver: JSONRPCMessage = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: {
    level,
    logger: 'souk',
    data: 'This question is over: the call that asked it has ended, so the answer was not used. Make the call again; you will be asked again.',
  },
};

/** Watches answers that were passed on. If no process fetches one, its question is over, and the client is notified. */
export function createLateAnswers(parts: {
  messages: Pick<SessionMessages, 'take'>;
  passOn(session: LiveSession, stray: Stray): Promise<void>;
  log: Log;
}) {
  const { messages, passOn, log } = parts;
  const waits = new Set<NodeJS.Timeout>();

  async function notify(session: LiveSession): Promise<void> {
    if (!wantsWarnings(session)) return;
    if (session.transport.hasOwnStream) await session.transport.send(questionOver);
    else await passOn(session, { kind: 'notice', target: undefined, message: questionOver });
  }

  return {
    watch(session: LiveSession, answer: StoredMessage): void {
      const wait = setTimeout(() => {
        waits.delete(wait);
        const check = async () => (await messages.take(answer)) !== undefined && notify(session);
        check().catch((error: unknown) =>
          log.debug({ err: error }, 'a client was not notified that its answer came too late'),
        );
      }, fetchMs).unref();
      waits.add(wait);
    },
    stop(): void {
      for (const wait of waits) clearTimeout(wait);
    },
  };
}

/** Whether the client's link has log messages, and the client wants this level. */
function wantsWarnings({ server, context: { logLevel } }: LiveSession): boolean {
  const isWanted = logLevel === undefined || logLevels.indexOf(level) >= logLevels.indexOf(logLevel);
  return isWanted && server.server.getCapabilities().logging !== undefined;
}
