import { UpstreamError } from '../upstream-error.ts';
import { refuseDeepJson } from '../wire/answer-limits.ts';
import { readEvents } from '../wire/event-data.ts';
import { maxForeignInARow } from '../wire/message-reader.ts';
import { createStreamPace, type Pace } from '../wire/pace.ts';
import { createEventSplitter } from '../wire/sse-events.ts';

/** The events of one stream, in order: reading pauses while an event is being handled. */
export class EventStream {
  readonly #splitter;
  readonly #pace: Pace;
  readonly #take: (data: string) => boolean | Promise<void>;
  /** The id of the newest event that had one. */
  lastEventId: string | undefined;
  /** How long the server wants a client to wait before it resumes the stream. */
  retryMs: number | undefined;
  #foreignInARow = 0;
  #working: Promise<void> | undefined;

  /** @param shared the pace of the server's other streams */
  constructor(maxEventBytes: number, shared: Pace, take: (data: string) => boolean | Promise<void>) {
    this.#splitter = createEventSplitter(maxEventBytes);
    this.#pace = createStreamPace(shared, 1);
    this.#take = take;
  }

  /** @returns a promise when reading must pause. @throws UpstreamError */
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

  /** Calls `then` when every earlier event has been read. */
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
    refuseDeepJson(text);
    const waits: Promise<void>[] = [];
    const read = readEvents(text);
    this.lastEventId = read.lastEventId ?? this.lastEventId;
    this.retryMs = read.retryMs ?? this.retryMs;
    for (const data of read.data) {
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
