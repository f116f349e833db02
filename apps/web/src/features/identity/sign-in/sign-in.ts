import { ApiError } from '@souk/contract/client.ts';
import type { UserProfile } from '@souk/contract/identity.ts';
import { createProof, type Randomness } from './pkce.ts';
import { claimWindow } from '#web/navigation/sign-in-window.ts';
import { chooseReturnPath } from './return-path.ts';
import {
  clearSignInState,
  returnPathKey,
  stateKey,
  verifierKey,
  type KeyValueStore,
} from '../session/session-storage.ts';
import type { SignedInUser } from '../session/signed-in-user.ts';
import type { TokenEndpoint, Tokens } from '../session/token-endpoint.ts';

export type SignInOptions = Randomness & {
  /** Origin of this page and of the broker, without a trailing slash. */
  origin: string;
  /** Storage of this tab's sign-in. */
  temporary: KeyValueStore;
  /** Runs `work` in one tab of this browser at a time: a refresh token works once. */
  withLock: <T>(work: () => Promise<T>) => Promise<T>;
  leaveTo: (address: string) => void;
  endpoint: TokenEndpoint;
  onSignedIn: (user: SignedInUser) => void;
};

/** Signs in by authorization code with PKCE and a state check (spec part 1, sections 4 and 5; RFC 7636). */
export function createSignIn(options: SignInOptions) {
  const { origin, temporary, withLock, endpoint } = options;
  const completions = new Map<string, Promise<string>>();

  return {
    /**
     * Sends the whole page to the broker's sign-in, to come back to `path`. Never returns.
     * @param path the current page, with its query
     * @param mustAsk asks for the account even if a user is signed in
     * @throws ApiError if the browser offers no SHA-256 (neither https nor localhost)
     */
    async start(path: string, { mustAsk = false } = {}): Promise<never> {
      const { verifier, state, challenge } = await createProof(options);
      temporary.setItem(returnPathKey, path);
      temporary.setItem(verifierKey, verifier);
      temporary.setItem(stateKey, state);
      claimWindow(state, temporary);
      const query = new URLSearchParams({ return_to: `${origin}/auth/callback`, state, code_challenge: challenge });
      if (mustAsk) query.set('prompt', 'login');
      options.leaveTo(`${origin}/login?${query}`);
      return new Promise<never>(() => {});
    },

    /**
     * Finishes the sign-in on /auth/callback. In development, React calls it twice; the second call gets the result of
     * the first.
     * @returns the path to go to
     * @throws ApiError with the texts of spec part 1, section 8
     */
    complete(query: URLSearchParams): Promise<string> {
      const key = query.toString();
      const completion = completions.get(key) ?? completeOnce(query);
      completions.set(key, completion);
      return completion;
    },
  };

  async function completeOnce(query: URLSearchParams): Promise<string> {
    const wantedState = temporary.getItem(stateKey);
    const verifier = temporary.getItem(verifierKey);
    const returnPath = temporary.getItem(returnPathKey);
    // valid for one answer, even an invalid one
    clearSignInState(temporary);
    if (query.get('error') !== null) return '/';
    const code = query.get('code');
    const state = query.get('state');
    if (!code || !state) throw refusal('Missing required OAuth parameters');
    if (state !== wantedState) throw refusal('Invalid state parameter - possible CSRF attack');
    if (!verifier) throw refusal('Missing code verifier');

    await withLock(async () => {
      const tokens = await endpoint.exchangeCode(code, verifier);
      const answer = await endpoint.fetchProfile(tokens.accessToken);
      if ('refused' in answer) throw refusal(`Failed to get user info: ${answer.refused}`);
      options.onSignedIn(userOf(answer.profile, tokens));
    });
    return chooseReturnPath(returnPath, origin);
  }
}

export function userOf({ id, email, displayName, photoURL, provider }: UserProfile, tokens: Tokens): SignedInUser {
  return { id, email, displayName, photoURL, provider, ...tokens };
}

export function refusal(message: string): ApiError {
  return new ApiError({ message, code: 'sign_in_failed' });
}
