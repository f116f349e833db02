import { request } from 'undici';
import { createGuardedDispatcher } from '#platform/http/guarded-fetch.ts';
import { SignInProblem } from './sign-in-problem.ts';

const timeoutMs = 10_000;
/** Metadata, registrations and tokens are small; nothing larger is read. */
const maxAnswerBytes = 256 * 1024;

export type SignInRequest = { method?: string; headers?: Record<string, string>; body?: string };

/** Fetches from addresses that a server or its authorization server named. The answer is read whole, within bounds. */
export type SignInFetch = (url: string, init?: SignInRequest) => Promise<Response>;

/**
 * Whether an address may be used in a sign-in: https, or plain http at exactly one of `allowAddresses` (host:port), as the
 * demo service on this machine needs it.
 */
export function isSafeAddress(address: string, allowAddresses: readonly string[]): boolean {
  const url = URL.parse(address);
  if (!url || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && allowAddresses.includes(url.host));
}

/**
 * Runs `work` with a fetch that keeps to public addresses and `allowAddresses`, follows no redirect, and reads at most
 * 256 KiB in 10 s (security.md, Boundaries).
 * @throws SignInProblem out of the fetch for an address, a status or a size that is refused
 */
export async function withSignInFetch<T>(
  allowAddresses: readonly string[],
  work: (fetch: SignInFetch) => Promise<T>,
): Promise<T> {
  const dispatcher = createGuardedDispatcher({ allowAddresses, connectTimeoutMs: 5_000, connections: 2 });
  try {
    return await work(async (url, init = {}) => {
      if (!isSafeAddress(url, allowAddresses)) throw new SignInProblem(`${url} is not an https address`);
      const answer = await request(url, {
        dispatcher,
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: { accept: 'application/json', ...init.headers },
        ...(init.body !== undefined && { body: init.body }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      answer.body.on('error', () => {});
      const { statusCode: status } = answer;
      if (status < 200 || (status >= 300 && status < 400)) {
        answer.body.destroy();
        throw new SignInProblem(`${new URL(url).host} redirects, which is not followed`);
      }
      const headers = new Headers();
      for (const name of ['content-type', 'www-authenticate']) {
        const value = answer.headers[name];
        if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
      }
      const body = await readBounded(answer.body, url);
      return new Response(status === 204 || status === 205 ? null : body, { status, headers });
    });
  } finally {
    await dispatcher.destroy();
  }
}

async function readBounded(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  url: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) {
      body.destroy();
      throw new SignInProblem(`${new URL(url).host} answers with more than ${maxAnswerBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
