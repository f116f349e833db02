import type { CustomFetch } from 'openid-client';

/** Of one answer: a provider's metadata, keys and tokens are a few KiB. */
const maxAnswerBytes = 256 * 1024;

/** A fetch that refuses answers above the limit: openid-client itself has none. */
export function boundedFetch(inner: CustomFetch | undefined): CustomFetch {
  return async (url, init) => {
    // undici's types are stricter about undefined than the init that openid-client passes
    const answer = await (inner ? inner(url, init) : fetch(url, init as RequestInit));
    return new Response(await readBounded(answer), {
      status: answer.status,
      statusText: answer.statusText,
      headers: answer.headers,
    });
  };
}

/** null for an answer without a body, which a Response with 204 must have. */
async function readBounded(answer: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (answer.body === null) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.byteLength;
    // leaving the loop cancels the body
    if (bytes > maxAnswerBytes) throw new Error(`the provider answered more than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return bytes === 0 ? null : new Uint8Array(Buffer.concat(chunks));
}
