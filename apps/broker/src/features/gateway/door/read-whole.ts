import type { IncomingMessage } from 'node:http';
import { GatheredBytes } from '#platform/gathered-bytes.ts';

/**
 * Reads a body of known length as soon as its last byte has arrived; undefined when the client hung up first. The stream
 * has not ended yet: bytes that are put back in the same tick can be read again.
 */
export async function readWhole(request: IncomingMessage, length: number): Promise<Buffer | undefined> {
  // Node emits a request when its head has been read; a body in the same packet can be read one tick later
  await undefined;
  if (request.readableLength !== length) return waitForWhole(request, length);
  const whole: unknown = request.read();
  return Buffer.isBuffer(whole) ? whole : undefined;
}

function waitForWhole(request: IncomingMessage, length: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const gathered = new GatheredBytes();
    const end = (whole: Buffer | undefined) => {
      request.pause();
      request.off('data', take).off('close', hangUp).off('error', hangUp);
      resolve(whole);
    };
    const take = (chunk: Buffer) => {
      gathered.add(chunk);
      if (gathered.length >= length) end(gathered.take());
    };
    const hangUp = () => end(undefined);
    request.on('data', take).once('close', hangUp).once('error', hangUp);
  });
}
