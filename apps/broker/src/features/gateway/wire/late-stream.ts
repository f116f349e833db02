import { keepAliveComment } from '#platform/http/answers/event-stream.ts';
import type { KeepAlive } from '#platform/http/connections/keep-alive.ts';
import { eventOf, eventStream, streamHeaders } from './events.ts';

const encoder = new TextEncoder();

/**
 * Returns the answer to a request or, when that is late, a stream of comments that ends with the answer as its last event.
 * For clients that accept event streams.
 */
export async function orLateStream(
  answer: Promise<Response>,
  keepAlive: KeepAlive,
  waitedMs: number,
): Promise<Response> {
  const late = Promise.withResolvers<undefined>();
  let beat = () => late.resolve(undefined);
  const stop = keepAlive.watch(() => beat(), waitedMs);
  try {
    const inTime = await Promise.race([answer, late.promise]);
    if (inTime) {
      stop();
      return inTime;
    }
  } catch (error) {
    stop();
    throw error;
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const comment = encoder.encode(keepAliveComment);
      beat = () => {
        // a client that does not read needs no more comments
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment);
      };
      controller.enqueue(comment);
      finish(answer, controller).then(stop, (error: unknown) => {
        stop();
        controller.error(error);
      });
    },
    cancel: stop,
  });
  return new Response(body, { headers: streamHeaders });
}

/** @throws what the answer failed with; TypeError when the client has gone and the stream is closed */
async function finish(
  answer: Promise<Response>,
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  const response = await answer;
  if (response.headers.get('content-type')?.startsWith(eventStream)) {
    for await (const chunk of response.body ?? []) controller.enqueue(chunk);
  } else {
    const text = await response.text();
    if (text !== '') controller.enqueue(encoder.encode(eventOf(text)));
  }
  controller.close();
}
