import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJsonRpcError } from '../json-rpc-error.ts';
import { isEventId } from './event-store.ts';

/** Revisions whose messages may come in batches. */
const batchRevision = '2025-03-26';

/**
 * The SDK's transport of one session, with what it leaves open: a cancelled call ends its stream, an id is in use once
 * at a time, and batches are read in the one revision that has them.
 */
export class SessionTransport extends NodeStreamableHTTPServerTransport {
  readonly #open = new Set<RequestId>();

  /** Calls that have not been answered. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Takes an id for a call that is answered elsewhere. False when it is in use. */
  hold(id: RequestId): boolean {
    if (this.#open.has(id)) return false;
    this.#open.add(id);
    return true;
  }

  free(id: RequestId): void {
    this.#open.delete(id);
  }

  /** @param revision what the session agreed on; undefined before that */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    revision: string | undefined,
  ): Promise<void> {
    if (Array.isArray(body) && revision !== batchRevision) {
      return sendJsonRpcError(response, 400, -32600, 'Invalid Request: batches are not part of this revision');
    }
    const lastEventId = request.headers['last-event-id'];
    if (typeof lastEventId === 'string' && !isEventId(lastEventId)) {
      return sendJsonRpcError(response, 400, -32000, 'Bad Request: Last-Event-ID is no event of this session');
    }
    const messages: unknown[] = Array.isArray(body) ? body : [body];
    const ids = messages.flatMap(idOf);
    const twice = ids.find((id, index) => this.#open.has(id) || ids.indexOf(id) !== index);
    if (twice !== undefined) {
      return sendJsonRpcError(response, 400, -32600, 'Invalid Request: this id is in use', { id: twice });
    }
    for (const id of ids) this.#open.add(id);
    await this.handleRequest(request, response, body);
    // refused before it reached anybody who would answer
    if (response.statusCode >= 400) for (const id of ids) this.#open.delete(id);
    for (const message of messages) {
      const cancelled = cancelledId(message);
      if (cancelled !== undefined && this.#open.has(cancelled)) await this.#endCancelled(cancelled);
    }
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!('method' in message) && message.id !== undefined) this.#open.delete(message.id);
    return super.send(inTermsOfSession(message), options);
  }

  /** Whoever cancelled waits for no answer: the stream ends without one, and what the SDK noted of it goes, too. */
  async #endCancelled(id: RequestId): Promise<void> {
    this.closeSSEStream(id);
    await this.send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'The call was cancelled' } }).catch(() => {});
  }
}

/** The SDK says "not found" with the code of 2026-07-28; sessions know -32002 (2025-11-25, server/resources). */
function inTermsOfSession(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== -32602) return message;
  if (!message.error.message.startsWith('Resource not found: ')) return message;
  return { ...message, error: { ...message.error, code: -32002 } };
}

function idOf(message: unknown): RequestId[] {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message)) return [];
  return typeof message.id === 'string' || typeof message.id === 'number' ? [message.id] : [];
}

function cancelledId(message: unknown): RequestId | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message)) return undefined;
  if (message.method !== 'notifications/cancelled' || !('params' in message)) return undefined;
  const { params } = message;
  const id: unknown = typeof params === 'object' && params !== null && 'requestId' in params && params.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
