import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { putInFront } from './put-in-front.ts';

/** Requests of one connection that are at work at the same time. */
const mostAtWork = 4;
/** Requests of one connection that wait for their turn. */
const mostWaiting = 1024;
/** Requests that waited are begun for so long in one turn of the event loop. New connections are then served before more. */
const turnMs = 5;

type Pipeline = {
  atWork: number;
  /** The answer to the newest request that is at work. */
  newest: ServerResponse | undefined;
  waiting: { response: ServerResponse; begin: () => void }[];
};

export type Pipelines = {
  /**
   * What a connection does: nothing; it works on its last request, after whose answer it ends; or on one after which it may
   * bring another.
   */
  stateOf(socket: Socket): 'idle' | 'ending' | 'working';
  /** From now on these and all others end with the answer to the last request that they have brought. */
  endAfterAnswers(sockets: Iterable<Socket>): void;
};

/**
 * Takes requests that a client sends without waiting for their answers (RFC 9112, section 9.3.2) a few at a time. Node hands
 * over every request of what it has read at once, a thousand and more, and keeps each answer until the one before it was
 * read: one connection took the time and the memory of the process. Here the further ones wait, and nothing more is read of
 * their connection meanwhile; one with too many of them ends. Whoever is put in front later is asked before this.
 */
export function boundPipelines(server: Server): Pipelines {
  const pipelines = new WeakMap<Socket, Pipeline>();
  /** Connections whose next request may begin, in the order in which an answer of theirs ended. */
  const ready: { pipeline: Pipeline; socket: Socket }[] = [];
  let isTurnTaken = false;
  let isEnding = false;

  function begin(pipeline: Pipeline, response: ServerResponse, next: () => void): void {
    pipeline.atWork++;
    pipeline.newest = response;
    if (isEnding) endAfter(pipeline);
    // its answer was read, as far as Node can tell
    response.once('close', left);
    next();
  }

  /** An answer that has begun has said already that its connection stays. */
  function endAfter({ newest, waiting }: Pipeline): void {
    if (newest && waiting.length === 0 && !newest.headersSent) newest.shouldKeepAlive = false;
  }

  function left(this: ServerResponse): void {
    const { socket } = this.req;
    const pipeline = pipelines.get(socket);
    if (!pipeline) return;
    pipeline.atWork--;
    if (pipeline.newest === this) pipeline.newest = undefined;
    if (pipeline.waiting.length === 0 || socket.destroyed) return;
    // its place is kept for a later turn: answers that are made at once would hold the event loop until the last of them
    pipeline.atWork++;
    ready.push({ pipeline, socket });
    if (isTurnTaken) return;
    isTurnTaken = true;
    setImmediate(beginReady);
  }

  function beginReady(): void {
    isTurnTaken = false;
    const begun = performance.now();
    // those that become ready meanwhile have another turn
    for (let count = ready.length; count > 0 && performance.now() - begun < turnMs; count--) {
      const first = ready.shift();
      if (first) beginNext(first.pipeline, first.socket);
    }
    if (ready.length === 0 || isTurnTaken) return;
    isTurnTaken = true;
    setImmediate(beginReady);
  }

  function beginNext(pipeline: Pipeline, socket: Socket): void {
    pipeline.atWork--;
    if (socket.destroyed) return;
    const first = pipeline.waiting.shift();
    if (pipeline.waiting.length === 0) socket.resume();
    if (first) begin(pipeline, first.response, first.begin);
  }

  /** Reading the body of one that is at work reads on. */
  function stayPaused(this: Socket): void {
    if (pipelines.get(this)?.waiting.length) this.pause();
  }

  putInFront(server, ({ socket }, response, next) => {
    // the rest of what was read of a connection that ended
    if (socket.destroyed) return;
    let pipeline = pipelines.get(socket);
    if (!pipeline) pipelines.set(socket, (pipeline = { atWork: 0, newest: undefined, waiting: [] }));
    if (pipeline.atWork < mostAtWork && pipeline.waiting.length === 0) return begin(pipeline, response, next);
    if (pipeline.waiting.length === mostWaiting) {
      pipeline.waiting = [];
      socket.destroy();
      return;
    }
    pipeline.waiting.push({ response, begin: next });
    if (pipeline.waiting.length > 1) return;
    socket.pause();
    if (!socket.listeners('resume').includes(stayPaused)) socket.on('resume', stayPaused);
  });

  return {
    stateOf(socket) {
      const pipeline = pipelines.get(socket);
      if (!pipeline || pipeline.atWork === 0) return 'idle';
      return pipeline.newest?.shouldKeepAlive === false ? 'ending' : 'working';
    },
    endAfterAnswers(sockets) {
      isEnding = true;
      for (const socket of sockets) {
        const pipeline = pipelines.get(socket);
        if (pipeline) endAfter(pipeline);
      }
    },
  };
}
