import type { IncomingMessage, ServerResponse } from 'node:http';
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

const everyType = 'application/json, text/event-stream';

/** A client that takes any type takes both of MCP, which the SDK wants to see by name (RFC 9110, section 12.5.1). */
export function nameAcceptedTypes({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const { accept } = headers;
  const isEvery = (range: string) => range.split(';', 1)[0]?.trim() === '*/*';
  if (accept === undefined || !accept.split(',').some(isEvery)) return;
  headers.accept = accept.includes('application/json') && accept.includes('text/event-stream') ? accept : everyType;
}
