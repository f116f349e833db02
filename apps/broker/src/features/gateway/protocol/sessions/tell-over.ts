import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { logLevels } from '#adapters/mcp/upstream.ts';
import type { LiveSession } from './live-session.ts';

const level = 'warning';

/**
 * Says that an answer came for a question that is over, as after a restart of the gateway. It is a log message: the answer
 * itself gets 202, because clients of SDK 1.x for Python end their connection over an answer that is refused.
 */
export const questionOver: JSONRPCMessage = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: {
    level,
    logger: 'souk',
    data: 'This question is over: the call that asked it has ended, so the answer was not used. Make the call again; the question then comes anew.',
  },
};

/** Whether a client hears it: one whose link has log messages, at a level that it wants. */
export function hearsOfOver({ server, context: { logLevel } }: Pick<LiveSession, 'server' | 'context'>): boolean {
  const isWanted = logLevel === undefined || logLevels.indexOf(level) >= logLevels.indexOf(logLevel);
  return isWanted && server.server.getCapabilities().logging !== undefined;
}
