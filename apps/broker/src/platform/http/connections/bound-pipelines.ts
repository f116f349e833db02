import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { putInFront } from './put-in-front.ts';

/** Concurrent requests of one connection. */
const mostAtWork = 4;
/** Queued requests of one connection. */
const mostWaiting = 1024;
/** Time per turn of the event loop for beginning queued requests, so that new connections are served in between. */
const turnMs = 5;

type Pipeline = {
  atWork: number;
  /** The response to the newest request at work. */
  newest: ServerResponse | undefined;
  waiting: { response: ServerResponse; begin: () => void }[];
};

export type Pipelines = {
  /** ending: the connection works on its last request; working: it may bring another one afterwards. */
  stateOf(socket: Socket): 'idle' | 'ending' | 'working';
  /** Ends these connections, and all later ones, with the answer to the last request that they have brought. */
  endAfterAnswers(sockets: Iterable<Socket>): void;
};

/**
 * Bounds pipelining: requests that a client sends without waiting for answers (RFC 9112, section 9.3.2). Node emits all
 * requests that it has read, a thousand and more, and keeps each answer until the previous one was read: one connection could
 * take the time and the memory of the process. Here further requests queue, and their connection is not read meanwhile; with
 * too many, it ends. Handlers that are put in front later run first.
 */
export function boundPipelines(server: Server): Pipelines {
  const pipelines = new WeakMap<Socket, Pipeline>();
  /** Connections whose next request may begin, in the order in which they answered a request. */
  const ready: { pipeline: Pipeline; socket: Socket }[] = [];
  let isTurnTaken = false;
  let isEnding = false;

  function begin(pipeline: Pipeline, response: ServerResponse, next: () => void): void {
    pipeline.atWork++;
    pipeline.newest = response;
    if (isEnding) endAfter(pipeline);
    // when the client has read the answer, as far as Node can tell
    response.once('close', onAnswered);
    next();
  }

  /** Closes the connection after its newest response, unless headers that keep it open were already sent. */
  function endAfter({ newest, waiting }: Pipeline): void {
    if (newest && waiting.length === 0 && !newest.headersSent) newest.shouldKeepAlive = false;
  }

  function onAnswered(this: ServerResponse): void {
    const { socket } = this.req;
    const pipeline = pipelines.get(socket);
    if (!pipeline) return;
    pipeline.atWork--;
    if (pipeline.newest === this) pipeline.newest = undefined;
    if (pipeline.waiting.length === 0 || socket.destroyed) return;
    // keeps its place for a later turn: immediate answers would block the event loop until the last of them
    pipeline.atWork++;
    ready.push({ pipeline, socket });
    if (isTurnTaken) return;
    isTurnTaken = true;
    setImmediate(beginReady);
  }

  function beginReady(): void {
    isTurnTaken = false;
    const begun = performance.now();
    // connections that become ready meanwhile wait for another turn
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

  /** Pauses the socket again, which reading a body resumes. */
  function stayPaused(this: Socket): void {
    if (pipelines.get(this)?.waiting.length) this.pause();
  }

  putInFront(server, ({ socket }, response, next) => {
    // left over from a connection that has ended
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
