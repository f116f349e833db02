import type { IncomingMessage } from 'node:http';

/** A request's body of known length, if it came in one packet with the head, as it nearly always does. */
export function readWhole(request: IncomingMessage, length: number): Buffer | undefined {
  if (request.readableLength !== length) return undefined;
  const whole: unknown = request.read();
  return Buffer.isBuffer(whole) ? whole : undefined;
}

/** The body as soon as its last byte is there, before the stream ends; undefined when the client hung up before. */
export function waitForWhole(request: IncomingMessage, length: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (whole: Buffer | undefined) => {
      request.pause();
      request.off('data', take).off('close', hangUp).off('error', hangUp);
      resolve(whole);
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= length) end(Buffer.concat(chunks));
    };
    const hangUp = () => end(undefined);
    request.on('data', take).once('close', hangUp).once('error', hangUp);
  });
}
