import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Sends a GET and returns the raw response: fetch would decompress the body and hide its length. */
export async function getWithEncoding(
  url: string,
  acceptEncoding: string | undefined,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { headers: { ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }), ...headers } })
    .on('response', resolve)
    .on('error', reject);
  const answer = await promise;
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
}
