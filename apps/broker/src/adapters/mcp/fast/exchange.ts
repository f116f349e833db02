import type { Dispatcher } from 'undici';
import { maxForeignBytes, mediaTypeOf, refuseEncoding, refuseStatus } from '../transports/bounded-fetch.ts';
import { answerTooLarge } from '../wire/answer-limits.ts';
import { withoutMark } from '../wire/byte-order-mark.ts';
import { parseServerJson } from '../wire/server-messages.ts';
import { readOwnId } from '../wire/own-id.ts';
import { protocolError, refusedCall, toUpstreamError } from '../wire/translate-error.ts';
import { sdkCost } from '../notices/notice-limits.ts';
import { UpstreamError } from '../upstream-error.ts';
import { EventStream } from './event-stream.ts';
import type { FastChannel } from './fast-channel.ts';
import { Backoff } from '#platform/work/backoff.ts';
import { GatheredBytes } from '#platform/gathered-bytes.ts';
import { asRecord, parseObject } from '#platform/json.ts';
import { oneInATurn } from '#platform/work/one-in-a-turn.ts';

export type ExchangeListener = {
  /** `text` is the answer as the server wrote it. Either this or onFailure is called, once. */
  onAnswer(text: string, message: Record<string, unknown>): void;
  onFailure(error: UpstreamError): void;
  onProgress(params: Record<string, unknown>): void;
  onLog(params: Record<string, unknown>): void;
  onMessage(message: Record<string, unknown>): void;
};

type Body = 'json' | 'events' | 'foreign';

/** How long a stream may continue after its answer. A socket whose response ends normally can be reused. */
const streamEndMs = 1000;
/** Size from which an answer takes milliseconds to read. */
const largeBytes = 1024 * 1024;
const streamEndBytes = 64 * 1024;
const maxResumes = 10;

/**
 * One request over a fast channel and its answer, straight from undici's parser: no Request, Response or web stream.
 * Limits as in bounded-fetch: on the whole of a JSON answer, on each event of a stream and on the rate of events.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #channel: FastChannel;
  readonly #id: number;
  readonly #listener: ExchangeListener;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status = 0;
  #headers: Record<string, string | string[] | undefined> = {};
  #body: Body = 'foreign';
  readonly #gathered = new GatheredBytes();
  #restBytes = 0;
  #events: EventStream | undefined;
  #streamEnd: NodeJS.Timeout | undefined;
  #lastEventId: string | undefined;
  #retryMs = 0;
  #resumes = 0;
  #backoff: Backoff | undefined;
  /** Why the stream ended before the answer. The call fails with this error if the stream cannot be resumed. */
  #interrupted: UpstreamError | undefined;

  constructor(channel: FastChannel, id: number, listener: ExchangeListener) {
    this.#channel = channel;
    this.#id = id;
    this.#listener = listener;
  }

  /** Whether the request has a socket. Before that, the server does not know of it. */
  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  send(body: string, headers: Record<string, string> | undefined): void {
    const { dispatcher, origin, path } = this.#channel;
    const all = headers ? { ...this.#channel.headers, ...headers } : this.#channel.headers;
    try {
      dispatcher.dispatch({ origin, path, method: 'POST', headers: all, body }, this);
    } catch (error) {
      this.#fail(toUpstreamError(error));
    }
  }

  /** Ends the exchange from our side: closes the socket, and the listener gets no more calls. */
  abandon(): void {
    this.#isOver = true;
    clearTimeout(this.#streamEnd);
    this.#controller?.abort(new Error('the exchange was abandoned'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // abandoned while it waited for a socket
    if (this.#isOver) controller.abort(new Error('the exchange was abandoned'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#headers = headers;
    try {
      refuseEncoding(headers);
    } catch (error) {
      return this.#fail(toUpstreamError(error));
    }
    const mediaType = mediaTypeOf(headers['content-type']);
    if (status === 200 && mediaType === 'text/event-stream') {
      this.#body = 'events';
      this.#events = new EventStream(this.#channel.maxResultBytes, this.#channel.pace, (text) => this.#readEvent(text));
    } else if (mediaType === 'application/json') this.#body = 'json';
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return this.#countRest(controller, chunk);
    if (this.#events) return this.#readEvents(this.#events, controller, chunk);
    this.#gathered.add(chunk);
    if (this.#body === 'json' && this.#gathered.length > this.#channel.maxResultBytes) {
      return this.#fail(answerTooLarge(this.#channel.maxResultBytes));
    }
    // a body that is not MCP is only read for the error message: its beginning is enough
    if (this.#body === 'foreign' && this.#gathered.length > maxForeignBytes) return this.#finish();
  }

  onResponseEnd(): void {
    clearTimeout(this.#streamEnd);
    if (this.#isOver) return;
    if (!this.#events) return this.#finish();
    const events = this.#events;
    events.end(() => {
      if (!this.#isOver)
        this.#resume(events, new UpstreamError('closed', 'the answer stream ended without the answer'));
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#streamEnd);
    if (this.#isOver) return;
    const failure = toUpstreamError(error);
    if (this.#events && failure.kind === 'closed') this.#resume(this.#events, failure);
    else this.#fail(failure);
  }

  /**
   * Resumes a stream that ended before the answer, if its events have ids: a server up to 2025-11-25 may close a stream and
   * be asked for the rest (basic/transports, Resumability). The call's own deadline continues.
   */
  #resume(ended: EventStream, failure: UpstreamError): void {
    this.#lastEventId = ended.lastEventId ?? this.#lastEventId;
    this.#retryMs = ended.retryMs ?? this.#retryMs;
    const lastEventId = this.#lastEventId;
    if (lastEventId === undefined || !this.#channel.inSession || this.#resumes >= maxResumes) {
      return this.#fail(failure);
    }
    this.#backoff ??= new Backoff();
    const waitMs = this.#backoff.next(this.#retryMs);
    this.#resumes++;
    this.#interrupted = failure;
    this.#events = undefined;
    this.#body = 'foreign';
    this.#streamEnd = setTimeout(() => this.#requestRest(lastEventId), waitMs).unref();
  }

  #requestRest(lastEventId: string): void {
    if (this.#isOver) return;
    const { dispatcher, origin, path, headers } = this.#channel;
    const { 'content-type': _, ...own } = headers;
    const asked = { ...own, accept: 'text/event-stream', 'last-event-id': lastEventId };
    try {
      dispatcher.dispatch({ origin, path, method: 'GET', headers: asked }, this);
    } catch (error) {
      this.#fail(toUpstreamError(error));
    }
  }

  #finish(): void {
    if (this.#interrupted) return this.#fail(this.#interrupted);
    if (this.#gathered.length < largeBytes) return this.#readWhole();
    oneInATurn(() => {
      if (!this.#isOver) this.#readWhole();
    });
  }

  #readWhole(): void {
    const bytes = this.#gathered.take();
    try {
      refuseStatus(this.#status, bytes, { session: this.#channel.inSession, headers: this.#headers });
      if (this.#status >= 400) throw refusedCall(this.#status, bytes.toString('utf8'));
      if (this.#body !== 'json') {
        throw new UpstreamError('bad_upstream', 'answered with neither JSON nor an event stream');
      }
      const text = withoutMark(bytes.toString('utf8'));
      // scanAnswer checks the depth before any code walks the object
      const message = parseObject(text);
      if (!message) throw new UpstreamError('bad_upstream', 'the JSON answer is not a message');
      if (readOwnId(message['id']) !== this.#id) {
        throw (
          this.#lossWithoutId(message) ?? new UpstreamError('bad_upstream', 'the response does not contain the answer')
        );
      }
      this.#answer(text, message);
    } catch (error) {
      this.#fail(toUpstreamError(error));
    }
  }

  #readEvents(events: EventStream, controller: Dispatcher.DispatchController, chunk: Buffer): void {
    try {
      const wait = events.push(chunk);
      if (!wait) return;
      controller.pause();
      wait.then(
        () => {
          if (!this.#isOver) controller.resume();
        },
        (error: unknown) => this.#fail(toUpstreamError(error)),
      );
    } catch (error) {
      this.#fail(toUpstreamError(error));
    }
  }

  /** Reads one event's data. @returns false when it is not JSON-RPC; a promise to await before the next event */
  #readEvent(text: string): boolean | Promise<void> {
    if (this.#isOver) return true;
    const written = parseObject(text);
    if (written?.['jsonrpc'] !== '2.0') return false;
    // an answer is parsed from its text in read-answer.ts
    const message = written['method'] === undefined ? written : (asRecord(parseServerJson(text)) ?? written);
    const { method, id } = message;
    if (method === undefined) {
      if (readOwnId(id) === this.#id) this.#answer(text, message);
      else {
        const loss = this.#lossWithoutId(message);
        if (loss) this.#fail(loss);
      }
      return true;
    }
    if (typeof method !== 'string') return false;
    if (method === 'notifications/progress' && id === undefined) {
      const params = asRecord(message['params']);
      if (params?.['progressToken'] === this.#id) this.#listener.onProgress(params);
      return true;
    }
    if (method === 'notifications/message' && id === undefined) {
      const params = asRecord(message['params']);
      if (params) this.#listener.onLog(params);
      return true;
    }
    this.#listener.onMessage(message);
    // the SDK handles it, at a higher cost than reading it here
    return this.#channel.pace(sdkCost - 1, 0) ?? true;
  }

  /** Returns the failure of a lost session. A server without the session may not have read the request, so no id is needed. */
  #lossWithoutId({ id, error }: Record<string, unknown>): UpstreamError | undefined {
    const { code, message, data } = asRecord(error) ?? {};
    if (!this.#channel.inSession || (id !== undefined && id !== null)) return undefined;
    if (typeof code !== 'number' || typeof message !== 'string') return undefined;
    const failure = protocolError({ code, message, data }, { inSession: true });
    return failure.hasLostSession ? failure : undefined;
  }

  #answer(text: string, message: Record<string, unknown>): void {
    this.#isOver = true;
    this.#listener.onAnswer(text, message);
    if (this.#events) this.#streamEnd = setTimeout(() => this.abandon(), streamEndMs).unref();
  }

  /** Stops reading a stream that continues too long after its answer. */
  #countRest(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#restBytes += chunk.length;
    if (this.#restBytes > streamEndBytes) controller.abort(new Error('the answer was complete'));
  }

  #fail(error: UpstreamError): void {
    if (this.#isOver) return;
    this.abandon();
    this.#listener.onFailure(error);
  }
}
