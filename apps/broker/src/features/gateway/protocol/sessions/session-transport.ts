import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  ProtocolError,
  type JSONRPCMessage,
  type RequestId,
  type WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import { asJsonAnswer } from '../../wire/json-answer.ts';
import { sendJsonRpcError } from '../../wire/json-rpc-error.ts';
import { messagesOf } from '../../wire/messages-of.ts';
import { parseAccept } from '../../wire/parse-accept.ts';
import { maxBatch } from '../../door/read-body.ts';
import { ClientStreams } from './client-streams.ts';
import { ownStream, type SessionEvents } from './event-store.ts';
import { addresseeOf, cancelledId, type Addressee, type Stray } from './stray.ts';
import type { Initialized } from './session-store.ts';

const batchRevision = '2025-03-26';

/**
 * The SDK's transport of one session, plus what it leaves open: a canceled call ends its stream, ids in use are unique,
 * and batches are accepted only in the revision that has them.
 */
export class SessionTransport extends NodeStreamableHTTPServerTransport {
  readonly #open = new Set<RequestId>();
  /** Requests whose answer may not be a stream, so no question or notice can be sent on it. */
  readonly #withoutStream = new Set<RequestId>();
  /** Our unanswered questions to the client by id, with the function to call when they are closed. */
  readonly #questions = new Map<RequestId, (() => void) | undefined>();
  /** Called when the client is asked during a call. Returns the function to call when the question is closed. */
  onAsking: ((call: RequestId) => () => void) | undefined;
  /** The answer to the GET on which the session's own stream is open. */
  #ownStream: ServerResponse | undefined;
  /** Called with notices of resources that this process cannot send, because the session's own stream is not open here. */
  onUnheard: ((notice: JSONRPCMessage) => void) | undefined;
  readonly streams = new ClientStreams();
  /** Number of messages that the SDK is storing and writing: an answer's id is freed before the answer is written. */
  #writing = 0;
  #whenIdle: (() => void) | undefined;
  readonly #events: SessionEvents;

  constructor(events: SessionEvents, options: Omit<WebStandardStreamableHTTPServerTransportOptions, 'eventStore'>) {
    super({ ...options, eventStore: events });
    this.#events = events;
  }

  /**
   * Brings the session into the state after `initialize` without its client, which sent that to another process or before a
   * restart.
   */
  async restore({ protocolVersion, capabilities, clientInfo }: Initialized): Promise<void> {
    const params = { protocolVersion, capabilities, clientInfo };
    await this.#post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  }

  /** The messages of a body that answer a question or cancel a call of another process. */
  strays(body: unknown): Stray[] {
    if (Array.isArray(body) && body.length > maxBatch) return [];
    return messagesOf(body).flatMap((message) => {
      const addressee = addresseeOf(message);
      return addressee && !this.awaits(addressee) ? [{ ...addressee, message }] : [];
    });
  }

  /** Whether a message with this addressee is meant for this process. */
  awaits({ kind, target }: Addressee): boolean {
    if (kind === 'notice') return this.hasOwnStream;
    if (target === undefined) return false;
    return kind === 'answer' ? this.#questions.has(target) : this.#open.has(target);
  }

  async deliver({ kind }: Addressee, message: unknown): Promise<void> {
    // why the cast: another process stored what its SDK was about to send
    if (kind === 'notice') return this.send(message as JSONRPCMessage);
    await this.#post(message);
    await this.#closeEnded([message]);
  }

  get hasOwnStream(): boolean {
    return this.#ownStream !== undefined && !this.#ownStream.destroyed && !this.#ownStream.writableEnded;
  }

  /** Closes the questions that the client has answered, and ends the calls that it has canceled. */
  async #closeEnded(messages: readonly unknown[]): Promise<void> {
    for (const { kind, target } of messages.flatMap((message) => addresseeOf(message) ?? [])) {
      if (target === undefined) continue;
      if (kind === 'answer') this.#closeQuestion(target);
      else if (this.#open.has(target)) await this.#endCancelled(target);
    }
  }

  #closeQuestion(id: RequestId): void {
    this.#questions.get(id)?.();
    this.#questions.delete(id);
  }

  /** Handles a message that did not come with its own request. */
  async #post(message: unknown): Promise<void> {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(this.sessionId !== undefined && { 'mcp-session-id': this.sessionId }),
    };
    // brackets: the SDK's Node transport only takes Node's requests, and the transport that it wraps is private
    const response = await this['_webStandardTransport'].handleRequest(
      new Request('http://localhost/', { method: 'POST', headers }),
      { parsedBody: message },
    );
    // ends when the message has been handled
    await response.text();
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Reserves an id for a fast-path call. False if it is in use. */
  claim(id: RequestId): boolean {
    if (this.#open.has(id)) return false;
    this.#open.add(id);
    return true;
  }

  free(id: RequestId): void {
    this.#open.delete(id);
    this.#withoutStream.delete(id);
    this.streams.forget(id);
  }

  left(): void {
    this.#closeIfIdle();
  }

  /** Ends the stream that belongs to no call, and calls `close` as soon as no call is unanswered. */
  closeWhenIdle(close: () => void): void {
    this.closeStandaloneSSEStream();
    this.#whenIdle = close;
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (this.#open.size === 0 && this.#writing === 0) this.#whenIdle?.();
  }

  /** @param revision the session's negotiated revision; undefined before initialize */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    revision: string | undefined,
  ): Promise<void> {
    if (Array.isArray(body) && revision !== batchRevision) {
      return sendJsonRpcError(response, 400, -32600, 'Invalid Request: batches are not part of this revision');
    }
    if (Array.isArray(body) && body.length > maxBatch) {
      const reason = `Invalid Request: a batch has at most ${maxBatch} messages`;
      return sendJsonRpcError(response, 400, -32600, reason);
    }
    const lastEventId = request.headers['last-event-id'];
    let isOwnStream = false;
    if (typeof lastEventId === 'string') {
      const resumption = this.#events.resumption(lastEventId, (stream) => this.streams.isOpen(stream));
      if (resumption.kind === 'unknown') {
        return sendJsonRpcError(response, 400, -32000, 'Bad Request: Last-Event-ID is not an event of this session');
      }
      // an empty answer would make clients retry forever, or open a second stream of the session
      if (resumption.kind === 'finished') {
        response.setHeader('allow', 'POST, DELETE');
        return sendJsonRpcError(response, 405, -32000, 'Method not allowed: this stream has ended', body);
      }
      isOwnStream = resumption.stream === ownStream;
      this.streams.resume(resumption.stream, response);
    }
    // a client that opens its stream again has lost the previous one, which may look open from here for minutes
    if (request.method === 'GET' && lastEventId === undefined && takesEvents(request)) this.closeStandaloneSSEStream();
    const isOwn = lastEventId === undefined || isOwnStream;
    if (request.method === 'GET' && isOwn) this.#ownStream = response;
    const messages = messagesOf(body);
    const { ids, twice } = readIds(messages, this.#open);
    if (twice !== undefined) {
      return sendJsonRpcError(response, 400, -32600, 'Invalid Request: this id is in use', { id: twice });
    }
    for (const id of ids) this.#open.add(id);
    const isJson = request.method === 'POST' && !takesEvents(request);
    if (isJson) for (const id of ids) this.#withoutStream.add(id);
    await this.streams.serve(ids, response, () =>
      isJson ? this.#serveJson(request, response, body) : this.handleRequest(request, response, body),
    );
    // the SDK refused the request, so no answer will free its ids
    if (response.statusCode >= 400) for (const id of ids) this.free(id);
    await this.#closeEnded(messages);
  }

  #serveJson(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    // brackets: the transport that the SDK's Node transport wraps is private
    const inner = this['_webStandardTransport'];
    const serve = toNodeHandler({
      fetch: async (asked, options) => asJsonAnswer(await inner.handleRequest(asked, options), body),
    });
    return serve(Object.assign(request, { method: 'POST', url: request.url ?? '/' }), response, body);
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!('method' in message)) {
      if (message.id !== undefined) this.free(message.id);
    } else if ('id' in message) {
      const call = options?.relatedRequestId;
      if (call !== undefined && this.#withoutStream.has(call)) {
        throw new ProtocolError(-32600, 'The client accepts no event stream, so it cannot be asked (Accept)');
      }
      this.#questions.set(message.id, call === undefined ? undefined : this.onAsking?.(call));
    } else {
      const withdrawn = cancelledId(message);
      if (withdrawn !== undefined) this.#closeQuestion(withdrawn);
      if (message.method === 'notifications/resources/updated' && !this.hasOwnStream) this.onUnheard?.(message);
    }
    this.#writing++;
    try {
      await this.streams.send(options?.relatedRequestId, () => super.send(inTermsOfSession(message), options));
    } finally {
      this.#writing--;
      this.#closeIfIdle();
    }
  }

  /** Ends the stream of a canceled call without an answer, and makes the SDK forget the call. */
  async #endCancelled(id: RequestId): Promise<void> {
    this.closeSSEStream(id);
    await this.send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'The call was canceled' } }).catch(() => {});
  }
}

/** Replaces the SDK's code for "not found", which is that of 2026-07-28, with -32002 (2025-11-25, server/resources). */
function inTermsOfSession(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== -32602) return message;
  if (!message.error.message.startsWith('Resource not found: ')) return message;
  return { ...message, error: { ...message.error, code: -32002 } };
}

/** The ids of the requests among some messages, and the first id that is in use or duplicate. */
export function readIds(
  messages: readonly unknown[],
  open: ReadonlySet<RequestId>,
): { ids: RequestId[]; twice: RequestId | undefined } {
  const ids = messages.flatMap(idOf);
  return { ids, twice: ids.find((id, index) => open.has(id) || ids.indexOf(id) !== index) };
}

function idOf(message: unknown): RequestId[] {
  const { method, id } = asRecord(message) ?? {};
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? [id] : [];
}

const takesEvents = ({ headers }: IncomingMessage): boolean => parseAccept(headers.accept).events;
