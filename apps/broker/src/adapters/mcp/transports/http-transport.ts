import { AsyncLocalStorage } from 'node:async_hooks';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type MessageExtraInfo,
  type RequestId,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { withExactNumbers } from '#platform/json/exact-numbers.ts';
import { Backoff } from '#platform/work/backoff.ts';
import { createGuardedDispatcher } from '#platform/http/outgoing/guarded-fetch.ts';
import { createBoundedFetch, type Exchange } from './bounded-fetch.ts';
import { failureMessage } from '../wire/failure-message.ts';
import { maxForeignInARow } from '../wire/message-reader.ts';
import { withOwnId } from '../wire/own-id.ts';
import { protocolError } from '../wire/translate-error.ts';
import type { HttpEndpoint } from '../fast/fast-channel.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { NetworkTransportOptions, UpstreamTransport } from './upstream-transport.ts';
import { withCredential } from '../connect/with-credential.ts';

const closeTimeoutMs = 1000;

type OpenRequest = Exchange & {
  id: RequestId;
  abort: AbortController;
  foreignInARow: number;
  /** Set once its stream has ended before the answer. */
  backoff?: Backoff;
};

/**
 * The SDK's Streamable HTTP transport, plus what it leaves to its host:
 * - a fetch with an address guard, a byte limit and no redirects;
 * - an exchange that ends without the answer (stream cut, answer with another id, 202 to a request) fails its call
 *   immediately, instead of at the timeout;
 * - an answer that arrives on the exchange of another request is dropped: the SDK only compares the id;
 * - a stream that ended is requested again with a doubling wait, not with the one in the server's `retry`;
 * - the POST of a canceled call is closed: for a legacy server the SDK only sends a notice and leaves the socket open.
 */
export class HttpTransport implements UpstreamTransport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  readonly hasPerRequestStream = true;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #dispatcher: ReturnType<typeof createGuardedDispatcher>;
  readonly #open = new Map<RequestId, OpenRequest>();
  readonly #current = new AsyncLocalStorage<OpenRequest | undefined>();
  readonly #options: NetworkTransportOptions;
  /** The backoff of the stream that belongs to no request. */
  readonly #backoff = new Backoff();
  #closing: Promise<void> | undefined;
  #hasReportedMisdirected = false;
  /** Whether an answer was rewritten for the SDK: messages may then have marks instead of numbers. */
  #isRewriting = false;

  constructor(options: NetworkTransportOptions) {
    this.#options = options;
    this.#dispatcher = createGuardedDispatcher(options);
    this.#inner = new StreamableHTTPClientTransport(options.url, {
      requestInit: { headers: options.headers },
      fetch: withCredential(
        createBoundedFetch({
          dispatcher: this.#dispatcher,
          maxResultBytes: options.maxResultBytes,
          pace: options.pace,
          currentExchange: () => this.#current.getStore(),
          onRewritten: () => void (this.#isRewriting = true),
        }),
        options.credential,
      ),
      // our fetch never follows redirects; this setting stops the SDK from following them itself
      redirectPolicy: 'follow',
      reconnectionScheduler: (ask, wantedMs) => this.#reconnectLater(ask, wantedMs),
    });
    // oxlint-disable unicorn/prefer-add-event-listener -- the SDK's transports have no addEventListener
    this.#inner.onmessage = (message: JSONRPCMessage) => this.#deliver(message);
    this.#inner.onerror = (error) => {
      this.onerror?.(error);
      this.#countForeign();
    };
    this.#inner.onclose = () => this.onclose?.();
    // oxlint-enable unicorn/prefer-add-event-listener
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  /** The endpoint for the fast path; undefined if each request needs a user's credential. */
  endpoint(): HttpEndpoint | undefined {
    if ('credential' in this.#options) return undefined;
    return { ...this.#options, dispatcher: this.#dispatcher, sessionId: this.sessionId };
  }

  get ended(): undefined {
    return undefined;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!isJSONRPCRequest(message)) {
      // a notice belongs to no exchange, even if an exchange's timer sends it
      const sent = this.#current.run(undefined, () => this.#inner.send(message, definedOnly(options)));
      const cancelled = cancelledRequestId(message);
      if (cancelled === undefined) return sent;
      // send the notice before closing the POST, so that the server learns the reason
      await sent.finally(() => this.#open.get(cancelled)?.abort.abort());
      return;
    }
    const request = this.#register(message.id);
    const signals = [request.abort.signal, ...(options?.requestSignal ? [options.requestSignal] : [])];
    try {
      await this.#current.run(request, () =>
        this.#inner.send(message, {
          ...definedOnly(options),
          requestSignal: AbortSignal.any(signals),
          onRequestStreamEnd: () => {
            options?.onRequestStreamEnd?.();
            request.fail(new UpstreamError('closed', 'the answer stream ended without the answer'));
          },
        }),
      );
    } catch (error) {
      this.#open.delete(message.id);
      throw error;
    }
    // subscriptions have no answer, and streamed answers come later
    if (!request.streaming && this.#open.has(message.id))
      request.fail(new UpstreamError('bad_upstream', 'the response does not contain the answer'));
  }

  /** Ends the session (legacy, best effort), every exchange and every socket. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async abort(): Promise<void> {
    await this.#inner.close();
    await this.#dispatcher.destroy();
  }

  async #shutDown(): Promise<void> {
    const goodbye = this.#inner.sessionId === undefined ? undefined : this.#endSession();
    const closed = new UpstreamError('closed', 'the connection was closed');
    for (const request of this.#open.values()) request.fail(closed);
    await goodbye;
    await this.#inner.close();
    await this.#dispatcher.destroy();
  }

  async #endSession(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeTimeoutMs);
    });
    const ended = this.#inner.terminateSession().catch(() => {});
    await Promise.race([ended, deadline]);
    clearTimeout(timer);
  }

  #reconnectLater(ask: () => void, wantedMs: number): () => void {
    const request = this.#current.getStore();
    const backoff = request ? (request.backoff ??= new Backoff()) : this.#backoff;
    const timer = setTimeout(ask, backoff.next(wantedMs)).unref();
    return () => clearTimeout(timer);
  }

  #register(id: RequestId): OpenRequest {
    const request: OpenRequest = {
      id,
      abort: new AbortController(),
      streaming: false,
      foreignInARow: 0,
      fail: (error) => {
        if (this.#open.get(id) !== request) return;
        this.#open.delete(id);
        this.onmessage?.(failureMessage(id, error));
        request.abort.abort();
      },
    };
    this.#open.set(id, request);
    return request;
  }

  /** Ends a stream with too many events that are not JSON-RPC: the SDK only reports each and continues to read. */
  #countForeign(): void {
    const request = this.#current.getStore();
    if (!request?.streaming || ++request.foreignInARow < maxForeignInARow) return;
    request.fail(new UpstreamError('bad_upstream', `${maxForeignInARow} events in a row that are not JSON-RPC`));
  }

  #deliver(given: JSONRPCMessage): void {
    const message = withOwnId(given);
    const current = this.#current.getStore();
    if (current) current.foreignInARow = 0;
    if (current && isJSONRPCErrorResponse(message) && message.id === undefined && this.sessionId !== undefined) {
      const failure = protocolError(message.error, { inSession: true });
      // a server that does not know the session need not have read the request
      if (failure.hasLostSession) return current.fail(failure);
    }
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) {
      // an answer belongs to the exchange on which its request went out: two users may share this connection
      if (message.id !== current?.id) return this.#reportMisdirected('an answer');
      this.#open.delete(message.id);
    }
    // progress too, because its text may be for another user; the stream that belongs to no request may carry any id
    if (current && isProgressOfOther(message, current.id)) return this.#reportMisdirected('progress');
    if (this.#isRewriting) withExactNumbers(message);
    this.onmessage?.(message);
  }

  /** Reports once per connection: a server can send any number of them. */
  #reportMisdirected(what: 'an answer' | 'progress'): void {
    if (this.#hasReportedMisdirected) return;
    this.#hasReportedMisdirected = true;
    this.onerror?.(new UpstreamError('bad_upstream', `${what} with another request's id was dropped`));
  }
}

/** Removes undefined members: the SDK returns options with them but accepts only absent ones. */
function definedOnly(options: TransportSendOptions | undefined): Parameters<StreamableHTTPClientTransport['send']>[1] {
  return {
    ...(options?.resumptionToken !== undefined && { resumptionToken: options.resumptionToken }),
    ...(options?.onresumptiontoken && { onresumptiontoken: options.onresumptiontoken }),
    ...(options?.requestSignal && { requestSignal: options.requestSignal }),
    ...(options?.headers && { headers: options.headers }),
  };
}

/** Whether a message is the progress of another request. The SDK uses a request's id as its progress token. */
function isProgressOfOther(message: JSONRPCMessage, id: RequestId): boolean {
  if (!('method' in message) || message.method !== 'notifications/progress') return false;
  return message.params?.['progressToken'] !== id;
}

function cancelledRequestId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
