import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** A comment between two server-sent events (WHATWG HTML, section 9.2.6). */
export const keepAliveComment = ': keepalive\n\n';

/** An answer that sends events as they happen, each as the JSON of one `data:` line. */
export type EventStream = {
  readonly response: ServerResponse;
  /** Sends an event, unless the client has disconnected. */
  tell(event: unknown): void;
  /** Sends a comment, since proxies cut connections after a minute of silence. */
  keepAlive(): void;
  /** Calls back once when the client has disconnected or the stream has ended. */
  onClose(listener: () => void): void;
  end(): void;
};

/** Answers with an event stream, which the caller ends. */
export function openEventStream(reply: FastifyReply): EventStream {
  // a hijacked reply skips Fastify's hooks, so headers that were already set are copied by hand
  reply.hijack();
  const response = reply.raw;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  const write = (text: string) => void (response.destroyed || response.write(text));
  return {
    response,
    tell: (event) => write(`data: ${JSON.stringify(event)}\n\n`),
    keepAlive: () => write(keepAliveComment),
    onClose(listener) {
      if (response.destroyed) listener();
      else response.once('close', listener);
    },
    end: () => void response.end(),
  };
}
