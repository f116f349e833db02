import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestId } from '@modelcontextprotocol/server';
import type { ServerResponse } from 'node:http';
import type { Listening } from '#adapters/mcp/upstream.ts';
import { listeningOn } from '../../wire/listening-on.ts';

/**
 * The stream on which the client reads about each open request of a session: the answer to its POST, or the GET with which
 * the client resumed that stream (2025-11-25, basic/transports, Resumability).
 */
export class ClientStreams {
  readonly #posts = new Map<RequestId, ServerResponse>();
  /** The SDK's name for the stream of a request, once it has sent an event on it. */
  readonly #names = new Map<RequestId, string>();
  readonly #resumed = new Map<string, ServerResponse>();
  readonly #serving = new AsyncLocalStorage<readonly RequestId[]>();
  #sending: RequestId | undefined;

  /** Runs the SDK's handling of a POST with these requests. */
  serve<T>(ids: readonly RequestId[], response: ServerResponse, handle: () => T): T {
    for (const id of ids) this.#posts.set(id, response);
    return this.#serving.run(ids, handle);
  }

  /** Runs the SDK's sending of a message of this request. */
  send<T>(id: RequestId | undefined, send: () => T): T {
    this.#sending = id;
    try {
      return send();
    } finally {
      this.#sending = undefined;
    }
  }

  /** Call when the SDK stores an event of a stream. Its first event is the SDK's own, every other is a message that it sends. */
  named(stream: string, isFirst: boolean): void {
    const ids = this.#sending !== undefined ? [this.#sending] : isFirst ? (this.#serving.getStore() ?? []) : [];
    for (const id of ids) if (this.#posts.has(id)) this.#names.set(id, stream);
  }

  /** Whether an unanswered request has this stream. */
  isOpen(stream: string): boolean {
    return [...this.#names.values()].includes(stream);
  }

  resume(stream: string, response: ServerResponse): void {
    this.#resumed.set(stream, response);
    response.once('close', () => {
      if (this.#resumed.get(stream) === response) this.#resumed.delete(stream);
    });
  }

  listening(id: RequestId): Listening {
    const post = this.#posts.get(id);
    const onPost = post ? listeningOn(post) : 'gone';
    if (onPost !== 'gone') return onPost;
    const resumed = this.#resumed.get(this.#names.get(id) ?? '');
    return resumed ? listeningOn(resumed) : 'gone';
  }

  forget(id: RequestId): void {
    this.#posts.delete(id);
    this.#names.delete(id);
  }
}
