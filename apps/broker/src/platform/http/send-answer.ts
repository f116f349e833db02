import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Of a body that nobody reads, this much is taken for the sake of a client that is still sending it, and for so long. */
const drainedBytes = 1024 * 1024;
const drainedMs = 1_000;

/**
 * Sends a whole answer, whether the request's body has come or not. Where it has not, the connection ends with the
 * answer: what still comes is thrown away up to a bound, since a client that is cut off while it sends may never get to
 * read the answer (RFC 9112, section 9.6).
 */
export function sendAnswer(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, text: string): void {
  const { req: request } = response;
  const length = Buffer.byteLength(text);
  if (hasWholeBody(request)) {
    response.writeHead(status, { ...headers, 'content-length': length });
    response.end(text);
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': length, connection: 'close' });
  // the client has its answer with these bytes; `end` is what would cut it off
  response.write(text);
  drain(request, () => response.end());
}

/** Be it read or not: Node says `complete` a moment after the last byte is there. */
function hasWholeBody({ complete, headers, readableLength }: IncomingMessage): boolean {
  if (complete) return true;
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === readableLength;
}

/** Reads and forgets until the body ends, the client hangs up, or the bounds are met; then calls `done`, once. */
function drain(request: IncomingMessage, done: () => void): void {
  let bytes = 0;
  const stop = () => {
    clearTimeout(deadline);
    request.off('data', count).off('end', stop).off('close', stop).off('error', stop);
    done();
  };
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drainedBytes) stop();
  };
  const deadline = setTimeout(stop, drainedMs);
  request.on('data', count).on('end', stop).on('close', stop).on('error', stop).resume();
}
