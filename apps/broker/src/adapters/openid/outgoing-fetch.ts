import type { CustomFetch } from 'openid-client';
import { fetch, type Dispatcher } from 'undici';

/** A fetch for openid-client over our dispatcher, which Node's own fetch refuses, as it is of another version of undici. */
export function createOutgoingFetch(dispatcher: Dispatcher): CustomFetch {
  return async (url, { headers, body, method, redirect, signal }) => {
    const answer = await fetch(url, {
      headers,
      method,
      redirect,
      dispatcher,
      ...(body && { body }),
      ...(signal && { signal }),
    });
    return new Response(answer.body, { status: answer.status, headers: [...answer.headers] });
  };
}
