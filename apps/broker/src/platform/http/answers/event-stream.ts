import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** What server-sent events allow between two events (WHATWG HTML, section 9.2.6). */
export const keepAliveComment = ': keepalive\n\n';

/** An answer that tells events as they happen, each as the JSON of one `data:` line. */
export type EventStream = {
  readonly response: ServerResponse;
  /** Does nothing once the client is gone. */
  tell(event: unknown): void;
  /** Proxies cut a connection on which nothing was sent for a minute. */
  keepAlive(): void;
  /** Calls back once when the client goes away or has gone, or when the stream has ended. */
  onClose(listener: () => void): void;
  end(): void;
};

/** Answers with an event stream, which the caller ends. A failure before this is answered as of any other call. */
export function openEventStream(reply: FastifyReply): EventStream {
  // a hijacked reply skips fastify's hooks, so the headers that were set so far are copied by hand
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
