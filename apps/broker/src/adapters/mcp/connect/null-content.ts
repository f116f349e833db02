import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * Removes a structuredContent of null from the results of a server up to 2025-11-25: there it must be an object or absent,
 * and the SDK refuses null. Since 2026-07-28, null may be what the tool promises.
 */
export function dropNullContent(transport: Pick<Transport, 'onmessage'>): void {
  const receive = transport.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no addEventListener
  transport.onmessage = (message, extra) => receive?.(withoutNullContent(message), extra);
}

function withoutNullContent<Message extends JSONRPCMessage>(message: Message): Message {
  if (!('result' in message) || message.result['structuredContent'] !== null) return message;
  const { structuredContent: _, ...result } = message.result;
  return { ...message, result };
}
