import type { FetchLike } from '@modelcontextprotocol/client';
import type { UpstreamCredential } from './types.ts';
import { isScopeChallenge } from './bounded-fetch.ts';
import { UpstreamError } from './upstream-error.ts';

/** `fetch` with one person's headers, read anew for each request. */
export function withCredential(fetch: FetchLike, credential: UpstreamCredential | undefined): FetchLike {
  if (!credential) return fetch;
  return (url, init) =>
    renewing(credential, (own) => {
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(own)) headers.set(name, value);
      return fetch(url, { ...init, headers });
    });
}

/**
 * Sends something with one person's headers. What a 401 refused has not run: it is sent once more with what the
 * credential gives in its place.
 */
export async function renewing<T>(
  credential: UpstreamCredential,
  send: (own: Record<string, string>) => Promise<T>,
): Promise<T> {
  const attempt = async (own: Record<string, string>): Promise<T> => {
    try {
      return await send(own);
    } catch (error) {
      const challenge = challengeOf(error);
      if (challenge !== undefined && isScopeChallenge(challenge)) await credential.wantScopes?.(challenge);
      throw error;
    }
  };
  const first = await credential.headers();
  try {
    return await attempt(first);
  } catch (error) {
    const second = isRefusal(error) ? await credential.renew?.(first) : undefined;
    if (!second) throw error;
    try {
      return await attempt(second);
    } catch (again) {
      if (isRefusal(again)) await credential.giveUp?.(second);
      throw again;
    }
  }
}

/** Another token of the same sign-in may help. One that allows too little would allow no more. */
function isRefusal(error: unknown): boolean {
  return error instanceof UpstreamError && error.kind === 'sign_in_required' && !isScopeChallenge(challengeOf(error));
}

function challengeOf(error: unknown): string | undefined {
  return error instanceof UpstreamError && error.kind === 'sign_in_required' ? error.wwwAuthenticate : undefined;
}
