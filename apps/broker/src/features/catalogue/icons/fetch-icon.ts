import { createHash } from 'node:crypto';
import { request, type Dispatcher } from 'undici';
import { readBounded } from '#platform/http/outgoing/read-bounded.ts';
import { iconTypeOf, type IconType } from './icon-type.ts';

const maxBytes = 256 * 1024;
const timeoutMs = 10_000;

export type FetchedIcon = { sha256: string; contentType: IconType; bytes: Buffer };

/**
 * Fetches a server's icon, so that visitors' browsers do not: without redirects, at most 256 KiB within 10 s, and only
 * if its bytes are those of a picture.
 * @param dispatcher a guarded one: it connects to public and allow-listed addresses only
 * @throws Error whose message is for the operator
 */
export async function fetchIcon(address: string, dispatcher: Dispatcher): Promise<FetchedIcon> {
  const answer = await request(address, {
    dispatcher,
    method: 'GET',
    headers: { accept: 'image/png, image/jpeg, image/webp' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  answer.body.on('error', () => {});
  if (answer.statusCode !== 200) {
    answer.body.destroy();
    throw new Error(`its address answered ${answer.statusCode}`);
  }
  const bytes = await readBounded(answer.body, maxBytes, () => new Error(`it is larger than ${maxBytes} bytes`));
  const contentType = iconTypeOf(bytes);
  if (!contentType) throw new Error('it is not a PNG, JPEG or WebP picture');
  return { sha256: createHash('sha256').update(bytes).digest('hex'), contentType, bytes };
}
