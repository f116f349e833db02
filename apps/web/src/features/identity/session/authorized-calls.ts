import { ApiError } from '@souk/contract/client.ts';
import type { UserProfile } from '@souk/contract/identity.ts';
import type { SessionOptions } from './session-state.ts';
import { renewBeforeMs, type SessionStore } from './session-store.ts';
import type { SignedInUser } from './signed-in-user.ts';
import type { TokenEndpoint } from './token-endpoint.ts';

export type AuthorizedCallsParts = Pick<SessionOptions, 'fetch' | 'now' | 'log'> & {
  endpoint: TokenEndpoint;
  store: SessionStore;
  renew: (user: SignedInUser) => Promise<SignedInUser | undefined>;
};

export function createAuthorizedCalls({ fetch, now, log, endpoint, store, renew }: AuthorizedCallsParts) {
  /** Returns the user's bearer token, renewed first if it is about to expire; undefined when signed out. */
  async function token(): Promise<string | undefined> {
    const { user } = store.getState();
    if (!user || user.tokenExpiry - now() > renewBeforeMs / 2) return user?.accessToken;
    try {
      return (await renew(user))?.accessToken;
    } catch (error) {
      if (user.tokenExpiry > now()) return user.accessToken;
      throw error;
    }
  }

  return {
    token,

    /** Sends a call. After a 401 it renews the token and repeats the call once. */
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const sent = new Headers(init.headers).get('authorization')?.replace(/^Bearer /, '');
      const response = await fetch(url, { ...init, credentials: 'include' });
      const { user } = store.getState();
      if (response.status !== 401 || sent === undefined || !user) return response;
      const renewed = user.accessToken === sent ? await renew(user).catch(() => undefined) : user;
      if (!renewed) return response;
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${renewed.accessToken}`);
      return fetch(url, { ...init, headers, credentials: 'include' });
    },

    /**
     * Fetches the user's profile (spec part 1, section 7).
     * @returns null if it could not be fetched, which is logged
     * @throws ApiError 'No authenticated user' without a session
     */
    async fetchProfile(): Promise<UserProfile | null> {
      const accessToken = await token();
      if (accessToken === undefined)
        throw new ApiError({ message: 'No authenticated user', code: 'authentication_required' });
      const answer = await endpoint.fetchProfile(accessToken).catch((error: unknown) => ({ refused: String(error) }));
      if ('profile' in answer) return answer.profile;
      log(`Failed to fetch user profile: ${answer.refused}`);
      return null;
    },
  };
}
