import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { putInFront } from './put-in-front.ts';

/** Requests of one connection that are at work at the same time. */
const mostAtWork = 4;
/** Requests of one connection that wait for their turn. */
const mostWaiting = 1024;

type Pipeline = { atWork: number; waiting: { response: ServerResponse; begin: () => void }[] };

/**
 * Takes requests that a client sends without waiting for their answers (RFC 9112, section 9.3.2) a few at a time. Node hands
 * over every request of what it has read at once, a thousand and more, and keeps each answer until the one before it was
 * read: one connection took the time and the memory of the process. Here the further ones wait, and nothing more is read of
 * their connection meanwhile; one with too many of them ends. Whoever is put in front later is asked before this.
 */
export function boundPipelines(server: Server): void {
  const pipelines = new WeakMap<Socket, Pipeline>();

  function begin(pipeline: Pipeline, response: ServerResponse, next: () => void): void {
    pipeline.atWork++;
    // its answer was read, as far as Node can tell
    response.once('close', left);
    next();
  }

  function left(this: ServerResponse): void {
    const { socket } = this.req;
    const pipeline = pipelines.get(socket);
    if (!pipeline) return;
    pipeline.atWork--;
    if (pipeline.waiting.length === 0 || socket.destroyed) return;
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
    if (!pipeline) pipelines.set(socket, (pipeline = { atWork: 0, waiting: [] }));
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
}
