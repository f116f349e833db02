import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import { isListen } from '../protocol/subscriptions/listen-streams.ts';
import { sendJsonRpcError } from '../wire/json-rpc-error.ts';
import { messagesOf } from '../wire/messages-of.ts';
import type { Accepted } from '../wire/parse-accept.ts';

export const linkMethods = ['GET', 'POST', 'DELETE'];
/** Other methods that clients and tools try. */
export const otherMethods = ['PUT', 'PATCH', 'OPTIONS'];

/** RFC 9110, section 15.5.6: the answer lists the allowed methods. */
export function refuseOtherMethod(response: ServerResponse): void {
  response.setHeader('allow', linkMethods.join(', '));
  sendJsonRpcError(response, 405, -32000, 'Method not allowed');
}

/** Whether the body is compressed. We never decompress one: a small body could become a large one. */
export function isCompressed({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity';
}

/** RFC 9110, section 15.5.16: the answer names the accepted encoding. */
export function refuseCompressed(response: ServerResponse): void {
  response.setHeader('accept-encoding', 'identity');
  sendJsonRpcError(response, 415, -32600, 'Unsupported Media Type: send the body without Content-Encoding');
}

/** Whether a request has no id: its sender would wait for an answer that cannot be sent (basic, Requests). */
export function lacksId(body: unknown): boolean {
  return messagesOf(body).some((sent) => {
    const message = asRecord(sent);
    const method = message?.['method'];
    return typeof method === 'string' && !method.startsWith('notifications/') && message?.['id'] === undefined;
  });
}

/** RFC 9110, section 15.5.7: the answer names the available types. */
export function sendNotAcceptable(response: ServerResponse, body: unknown): void {
  const types = 'application/json or text/event-stream';
  const needed = isListen(body) ? 'text/event-stream, which carries the notifications' : types;
  sendJsonRpcError(response, 406, -32000, `Not Acceptable: the client must accept ${needed}`, body);
}

/** Whether a request can be answered in a type that its sender accepts. Notices and answers to our questions need none. */
export function isAcceptable(accepted: Accepted, method: string, body: unknown): boolean {
  if (method !== 'POST') return true;
  if (isListen(body)) return accepted.events;
  return accepted.json || accepted.events || !hasRequest(body);
}

/** Whether a body has a request, which waits for an answer. */
function hasRequest(body: unknown): boolean {
  return messagesOf(body).some((message) => {
    const { method, id } = asRecord(message) ?? {};
    return method !== undefined && id !== undefined;
  });
}
