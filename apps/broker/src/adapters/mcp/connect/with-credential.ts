import type { FetchLike } from '@modelcontextprotocol/client';
import type { UpstreamCredential } from '../target.ts';
import { isScopeChallenge } from '../transports/bounded-fetch.ts';
import { UpstreamError } from '../upstream-error.ts';

/** Adds the headers of one user's credential, read for each request, to `fetch`. */
export function withCredential(fetch: FetchLike, credential: UpstreamCredential | undefined): FetchLike {
  if (!credential) return fetch;
  return (url, init) =>
    renewing(credential, async (own) => {
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(own)) headers.set(name, value);
      const answer = await fetch(url, { ...init, headers });
      if (answer.ok) credential.accepted?.();
      return answer;
    });
}

/**
 * Sends a request with the headers of one user's credential. A request refused with a 401 has not run, so it is sent
 * once more with the replacement that the credential returns.
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

/** Whether a renewed token can help. If scopes are missing it cannot: it would have the same scopes. */
function isRefusal(error: unknown): boolean {
  return error instanceof UpstreamError && error.kind === 'sign_in_required' && !isScopeChallenge(challengeOf(error));
}

function challengeOf(error: unknown): string | undefined {
  return error instanceof UpstreamError && error.kind === 'sign_in_required' ? error.wwwAuthenticate : undefined;
}
