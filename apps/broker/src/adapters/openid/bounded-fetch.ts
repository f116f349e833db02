import type { CustomFetch } from 'openid-client';
import { readBounded } from '#platform/http/outgoing/read-bounded.ts';
import { rewriteWithoutNull } from '#platform/http/outgoing/without-null-members.ts';

/** Of one answer: a provider's metadata, keys and tokens are a few KiB. */
const maxAnswerBytes = 256 * 1024;

/** A fetch that refuses answers above the limit: openid-client itself has none. */
export function boundedFetch(inner: CustomFetch | undefined): CustomFetch {
  return async (url, init) => {
    // undici's types are stricter about undefined than the init that openid-client passes
    const answer = await (inner ? inner(url, init) : fetch(url, init as RequestInit));
    const body = answer.body && (await readBounded(answer.body, maxAnswerBytes, tooLarge));
    // an answer without content must not have a body, not even an empty one
    const read = body && body.length > 0 ? (rewriteWithoutNull(body.toString('utf8')) ?? body) : null;
    return new Response(read, {
      status: answer.status,
      statusText: answer.statusText,
      headers: answer.headers,
    });
  };
}

function tooLarge(): Error {
  return new Error(`the provider answered more than ${maxAnswerBytes} bytes`);
}
