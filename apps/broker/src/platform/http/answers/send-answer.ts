import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Bounds on how much of an unwanted body is still read, so that its client gets to read the answer. */
const drainedBytes = 1024 * 1024;
const drainedMs = 1_000;

/**
 * Sends a whole answer, even while the request's body is still arriving. In that case the connection ends with the answer,
 * after the rest of the body was read and dropped up to a bound: a client that is cut off while sending may never read the
 * answer (RFC 9112, section 9.6).
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
  // this completes the answer; `end` would cut the client off
  response.write(text);
  drain(request, () => response.end());
}

/** Whether the body has arrived, read or not: Node sets `complete` a moment after the last byte. */
export function hasWholeBody({ complete, headers, readableLength }: IncomingMessage): boolean {
  if (complete) return true;
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === readableLength;
}

/** Reads and drops the body until it ends, the client hangs up, or the bounds are reached; then calls `done` once. */
export function drain(request: IncomingMessage, done: () => void): void {
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
