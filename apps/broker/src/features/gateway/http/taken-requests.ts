import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import { modernRevision } from '../protocol/modern-revision.ts';
import { sendJsonRpcError } from './json-rpc-error.ts';

/** The methods of a link. */
export const linkMethods = ['GET', 'POST', 'DELETE'];
/** The others that clients and tools try. */
export const otherMethods = ['PUT', 'PATCH', 'OPTIONS'];

/** RFC 9110, section 15.5.6: the answer says which methods there are. */
export function sendOtherMethod(response: ServerResponse): void {
  response.setHeader('allow', linkMethods.join(', '));
  sendJsonRpcError(response, 405, -32000, 'Method not allowed');
}

/** Whether the body comes compressed: nothing here opens it, so that no small body becomes a large one. */
export function isCompressed({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity';
}

/** RFC 9110, section 15.5.16: the answer says how the body can come. */
export function sendCompressed(response: ServerResponse): void {
  response.setHeader('accept-encoding', 'identity');
  sendJsonRpcError(response, 415, -32600, 'Unsupported Media Type: send the body without Content-Encoding');
}

/** Only notices have no id. Its sender waits for the answer of every other message, and would hear nothing (basic, Requests). */
export function lacksId(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.map(asRecord).some((message) => {
    const method = message?.['method'];
    return typeof method === 'string' && !method.startsWith('notifications/') && message?.['id'] === undefined;
  });
}

const everyType = 'application/json, text/event-stream';

const eventsAlone = 'text/event-stream, application/json;q=0';

/** Whether an answer may be JSON as well as a stream, by what nameAcceptedTypes left. */
export function acceptsBoth(accept: string | undefined): boolean {
  return accept !== eventsAlone && takesJson(accept) && takesEvents(accept);
}

const takesJson = (accept = '') => accept.includes('application/json');
const takesEvents = (accept = '') => accept.includes('text/event-stream');

/**
 * Names both types of MCP, which the SDK wants to see, for a client that takes any type or says nothing of types (RFC 9110,
 * section 12.5.1), and for one that takes streams alone: up to 2025-11-25 the SDK answers with nothing else.
 */
export function nameAcceptedTypes({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): void {
  const accept = headers.accept?.trim() || '*/*';
  const isEvery = (range: string) => range.split(';', 1)[0]?.trim() === '*/*';
  if (!accept.split(',').some(isEvery)) {
    const isModern = headers['mcp-protocol-version'] === modernRevision;
    if (method === 'POST' && !isModern && takesEvents(accept) && !takesJson(accept)) headers.accept = eventsAlone;
    return;
  }
  headers.accept = takesJson(accept) && takesEvents(accept) ? accept : everyType;
}
