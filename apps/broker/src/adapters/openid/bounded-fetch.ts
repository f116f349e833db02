import type { CustomFetch } from 'openid-client';
import { readBounded } from '#platform/http/outgoing/read-bounded.ts';
import { rewriteWithoutNull } from '#platform/http/outgoing/without-null-members.ts';

/** Limit of an answer. A provider's metadata, keys and tokens are a few KiB. */
const maxAnswerBytes = 256 * 1024;

/** Limits the size of answers, which openid-client itself does not. */
export function boundedFetch(inner: CustomFetch | undefined): CustomFetch {
  return async (url, init) => {
    // undici's types are stricter about undefined than the init that openid-client passes
    const answer = await (inner ? inner(url, init) : fetch(url, init as RequestInit));
    const body = answer.body && (await readBounded(answer.body, maxAnswerBytes, tooLarge));
    // an answer without content must not have a body, not even an empty one
    const read = body && body.length > 0 ? (rewriteWithoutNull(body.toString('utf8')) ?? body) : null;
    const { status, statusText, headers } = answer;
    return new Response(read, { status, statusText, headers });
  };
}

function tooLarge(): Error {
  return new Error(`the provider answered more than ${maxAnswerBytes} bytes`);
}
