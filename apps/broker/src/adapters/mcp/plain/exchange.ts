import type { Dispatcher } from 'undici';
import { isTooDeep } from '#platform/http/json-depth.ts';
import { maxAnswerDepth } from '../answer-depth.ts';
import { maxForeignBytes, mediaTypeOf, refuseStatus } from '../bounded-fetch.ts';
import { createPace } from '../pace.ts';
import { createEventSplitter } from '../sse-events.ts';
import { readJsonRpcError, toUpstreamError } from '../translate-error.ts';
import { UpstreamError } from '../upstream-error.ts';
import { maxForeignInARow } from '../message-reader.ts';
import { eventData } from './event-data.ts';
import type { PlainChannel } from './plain-channel.ts';
import { asRecord, parseObject } from './json-object.ts';

/** What an exchange is told about while it runs, besides its answer. */
export type ExchangeListener = {
  /** The answer: `text` is the message as the server wrote it. Called once, or else onFailure. */
  onAnswer(text: string, message: Record<string, unknown>): void;
  onFailure(error: UpstreamError): void;
  /** Progress of this request. A promise holds the stream back until it is over. */
  onProgress(params: Record<string, unknown>): Promise<void> | undefined;
  /** The server asks or tells something in the middle of the call. */
  onMessage(message: Record<string, unknown>): void;
};

type Body = 'json' | 'events' | 'foreign';

/** A stream may go on a little after its answer: a socket that ends in order can be used again. */
const streamEndMs = 1000;
const streamEndBytes = 64 * 1024;

/**
 * One request over a plain channel and its answer, straight from undici's parser: no Request, Response or web stream.
 * Bounded as in bounded-fetch: a JSON answer as a whole, an event stream by event and by its pace.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #channel: PlainChannel;
  readonly #id: number;
  readonly #listener: ExchangeListener;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: Record<string, string | string[] | undefined> = {};
  #body: Body = 'foreign';
  #chunks: Buffer[] = [];
  #bytes = 0;
  #events: EventStream | undefined;
  #streamEnd: NodeJS.Timeout | undefined;

  constructor(channel: PlainChannel, id: number, listener: ExchangeListener) {
    this.#channel = channel;
    this.#id = id;
    this.#listener = listener;
  }

  /** Sends the request: `body` is its JSON text, `headers` what this message adds to the channel's. */
  send(body: string, headers: Record<string, string> | undefined): void {
    const { dispatcher, origin, path } = this.#channel;
    const all = headers ? { ...this.#channel.headers, ...headers } : this.#channel.headers;
    try {
      dispatcher.dispatch({ origin, path, method: 'POST', headers: all, body }, this);
    } catch (error) {
      this.#fail(toUpstreamError(error));
    }
  }

  /** Ends the exchange from our side: nothing is told to the listener any more, the socket is closed. */
  abandon(): void {
    this.#settled = true;
    this.#controller?.abort(new Error('the exchange was given up'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // given up while it waited for a socket
    if (this.#settled) controller.abort(new Error('the exchange was given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#headers = headers;
    const mediaType = mediaTypeOf(headers['content-type']);
    if (status === 200 && mediaType === 'text/event-stream') {
      this.#body = 'events';
      this.#events = new EventStream(this.#channel.maxResultBytes, (text) => this.#readEvent(text));
    } else if (mediaType === 'application/json') this.#body = 'json';
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return this.#countRest(controller, chunk);
    if (this.#events) return this.#readEvents(this.#events, controller, chunk);
    this.#bytes += chunk.length;
    if (this.#body === 'json' && this.#bytes > this.#channel.maxResultBytes) {
      return this.#fail(
        new UpstreamError('result_too_large', `an answer of more than ${this.#channel.maxResultBytes} bytes`),
      );
    }
    // a page that is not MCP is only read for its meaning: its beginning is enough
    if (this.#body === 'foreign' && this.#bytes > maxForeignBytes) return this.#finish();
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#streamEnd);
    if (this.#settled) return;
    if (!this.#events) return this.#finish();
    this.#events.end(() => {
      if (!this.#settled) this.#fail(new UpstreamError('closed', 'the answer stream ended without the answer'));
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#streamEnd);
    if (!this.#settled) this.#fail(toUpstreamError(error));
  }

  #finish(): void {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    try {
      refuseStatus(this.#status, bytes, { session: this.#channel.inSession, headers: this.#headers });
      if (this.#status >= 400) throw fromErrorBody(this.#status, bytes);
      if (this.#body !== 'json') {
        throw new UpstreamError('bad_upstream', 'answered with no JSON and no event stream');
      }
      const text = bytes.toString('utf8');
      // depth is judged where the answer is scanned, before anybody walks it
      const message = parseObject(text);
      if (!message) throw new UpstreamError('bad_upstream', 'the JSON answer holds no message');
      if (message['id'] !== this.#id) {
        throw new UpstreamError('bad_upstream', 'the server answered without the answer');
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
          if (!this.#settled) controller.resume();
        },
        (error: unknown) => this.#fail(toUpstreamError(error)),
      );
    } catch (error) {
      this.#fail(toUpstreamError(error));
    }
  }

  /** One event's data. @returns false when it is no JSON-RPC; a promise to wait for before the next */
  #readEvent(text: string): boolean | Promise<void> {
    if (this.#settled) return true;
    const message = parseObject(text);
    if (message?.['jsonrpc'] !== '2.0') return false;
    const { method, id } = message;
    if (method === undefined) {
      if (id === this.#id) this.#answer(text, message);
      return true;
    }
    if (typeof method !== 'string') return false;
    if (method === 'notifications/progress' && id === undefined) {
      const params = asRecord(message['params']);
      if (params?.['progressToken'] === this.#id) return this.#listener.onProgress(params) ?? true;
      return true;
    }
    this.#listener.onMessage(message);
    return true;
  }

  #answer(text: string, message: Record<string, unknown>): void {
    this.#settled = true;
    this.#listener.onAnswer(text, message);
    this.#bytes = 0;
    if (this.#events) this.#streamEnd = setTimeout(() => this.abandon(), streamEndMs).unref();
  }

  /** What a stream still holds after its answer is of no use to anybody. */
  #countRest(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > streamEndBytes) controller.abort(new Error('the answer was complete'));
  }

  #fail(error: UpstreamError): void {
    if (this.#settled) return;
    this.abandon();
    this.#listener.onFailure(error);
  }
}

/** The events of one stream, one after the other: whoever has to wait for one holds back all that follow. */
class EventStream {
  readonly #splitter;
  readonly #pace = createPace();
  readonly #take: (data: string) => boolean | Promise<void>;
  #foreignInARow = 0;
  #working: Promise<void> | undefined;

  constructor(maxEventBytes: number, take: (data: string) => boolean | Promise<void>) {
    this.#splitter = createEventSplitter(maxEventBytes);
    this.#take = take;
  }

  /** @returns a promise when the reader has to wait. @throws UpstreamError */
  push(chunk: Buffer): Promise<void> | undefined {
    const batches = this.#splitter.push(chunk);
    if (batches.length === 0) return this.#working;
    if (!this.#working && batches.length === 1 && batches[0]) {
      const waiting = this.#read(batches[0]);
      if (waiting) this.#work(() => waiting);
      return this.#working;
    }
    this.#work(async () => {
      for (const batch of batches) await this.#read(batch);
    });
    return this.#working;
  }

  /** Calls `then` when everything before has been read. */
  end(then: () => void): void {
    const rest = this.#splitter.rest();
    const last = () => (rest.length > 0 ? this.#read({ events: 1, bytes: rest }) : undefined);
    void (this.#working ?? Promise.resolve()).then(last).then(then, then);
  }

  #work(task: () => Promise<void>): void {
    const working = (this.#working ?? Promise.resolve()).then(task);
    this.#working = working;
    const forget = () => {
      if (this.#working === working) this.#working = undefined;
    };
    working.then(forget, forget);
  }

  #read(batch: { events: number; bytes: Buffer }): Promise<void> | undefined {
    const text = batch.bytes.toString('utf8');
    if (isTooDeep(text, maxAnswerDepth)) {
      throw new UpstreamError('bad_upstream', `JSON of more than ${maxAnswerDepth} levels`);
    }
    const waits: Promise<void>[] = [];
    for (const data of eventData(text)) {
      const taken = this.#take(data);
      this.#foreignInARow = taken === false ? this.#foreignInARow + 1 : 0;
      if (this.#foreignInARow >= maxForeignInARow) {
        throw new UpstreamError('bad_upstream', `${maxForeignInARow} events in a row that are not JSON-RPC`);
      }
      if (taken instanceof Promise) waits.push(taken);
    }
    const pause = this.#pace(batch.events, batch.bytes.length);
    if (pause) waits.push(pause);
    return waits.length > 0 ? Promise.all(waits).then(() => {}) : undefined;
  }
}

function fromErrorBody(status: number, bytes: Buffer): UpstreamError {
  const answer = readJsonRpcError(bytes.toString('utf8'));
  return answer
    ? new UpstreamError('protocol', answer.message, answer)
    : new UpstreamError('bad_upstream', `HTTP ${status}`);
}
