import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import { isListen } from '../protocol/subscriptions/listen-streams.ts';
import { sendJsonRpcError } from '../wire/json-rpc-error.ts';
import { acceptHeader, parseAccept, type Accepted } from '../wire/parse-accept.ts';

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

/** RFC 9110, section 15.5.7: the answer says which types there are. */
export function sendNotAcceptable(response: ServerResponse, body: unknown): void {
  const types = 'application/json or text/event-stream';
  const needed = isListen(body) ? 'text/event-stream, in which its notices come' : types;
  sendJsonRpcError(response, 406, -32000, `Not Acceptable: the client must accept ${needed}`, body);
}

/** Whether a request can be answered in a type that its sender takes. What only notifies or answers us has no answer. */
export function isAcceptable(accepted: Accepted, method: string, body: unknown): boolean {
  if (method !== 'POST') return true;
  if (isListen(body)) return accepted.events;
  return accepted.json || accepted.events || !hasRequest(body);
}

/** Whether something in a body waits for an answer. */
function hasRequest(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => {
    const { method, id } = asRecord(message) ?? {};
    return method !== undefined && id !== undefined;
  });
}

/**
 * Names the types that a client takes in the words that the SDK looks for. Up to 2025-11-25 it refuses a POST that does not name
 * both; this gateway answers in one of them, if the client takes no other (json-answer.ts).
 */
export function nameAcceptedTypes({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): void {
  const accepted = parseAccept(headers.accept);
  if (method === 'POST') headers.accept = acceptHeader(accepted);
  else if (method === 'GET') headers.accept = accepted.events ? eventStream : withoutEvents(headers.accept);
}

const eventStream = 'text/event-stream';

/** A header that names streams to exclude them, and so reads as if it took them. */
const withoutEvents = (accept = '') => (accept.includes(eventStream) ? 'application/json' : accept);
