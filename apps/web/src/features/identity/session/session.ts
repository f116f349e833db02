import { ApiError } from '@souk/contract/client.ts';
import type { UserProfile } from '@souk/contract/identity.ts';
import { createHandOff, type HandOffAddress, type HandOffQuestion } from '../sign-in/hand-off.ts';
import {
  broadcastKey,
  clearSignInState,
  clearStaleEntries,
  clearStoredUser,
  readStoredUser,
  signOutKey,
  storeUser,
  tokensKey,
  userKey,
} from './session-storage.ts';
import { createRenewal } from './renew-session.ts';
import type { SignedInUser } from './signed-in-user.ts';
import type { SessionOptions, SessionState } from './session-state.ts';
import { createSignIn, userOf } from '../sign-in/sign-in.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

/** Renewed this long before the expiry, and never sent closer to it than half of that. */
const renewBeforeMs = 60_000;
/** The waits of a broker that does not answer double, from the first to the longest. */
const firstWaitMs = 2_000;
const longestWaitMs = 30_000;

export type Session = ReturnType<typeof createSession>;

/**
 * The session of the web app: who is signed in, in every tab of this browser, with an access token that is renewed in
 * time. Everything that touches the browser comes in as an argument.
 */
export function createSession(options: SessionOptions) {
  const { local, temporary, now, withLock, log } = options;
  const endpoint = createTokenEndpoint(options);
  const listeners = new Set<(user: SignedInUser | undefined) => void>();
  let state: SessionState = { user: undefined, isRestoring: true };
  let restoration: Promise<void> | undefined;
  let mayRestoreLater = false;
  let wasSignedIn = false;
  let failures = 0;
  let cancelTimer = () => {};
  const renew = createRenewal({ ...options, endpoint, current: () => state.user, enter, keep, drop, fail });
  const signIn = createSignIn({ ...options, endpoint, onSignedIn });
  const handOff = createHandOff({
    ...options,
    endpoint,
    onSignedIn,
    signOut,
    startSignInAnew: (path) => signIn.start(path, { mustAsk: true }),
    findCurrent: async () => {
      await restore();
      return state.user;
    },
  });

  function onSignedIn(user: SignedInUser): void {
    clearStoredUser(local, temporary);
    local.removeItem(signOutKey);
    keep(user);
  }

  function enter(
    user: SignedInUser | undefined,
    { isRestoring = false, hasEnded = false, isDeactivated = false, isAway = false } = {},
  ): void {
    const next = {
      user,
      isRestoring,
      ...(hasEnded && { hasEnded }),
      ...(isDeactivated && { isDeactivated }),
      ...(isAway && { isAway }),
    };
    const keys = ['user', 'isRestoring', 'hasEnded', 'isDeactivated', 'isAway'] as const;
    const isSame = keys.every((key) => state[key] === next[key]);
    if (isSame) return;
    state = next;
    if (!isAway) failures = 0;
    if (user) renewIn(user.tokenExpiry - renewBeforeMs - now());
    else setTimer();
    for (const listener of listeners) listener(user);
  }

  function setTimer(work?: () => void, delayMs = 0): void {
    cancelTimer();
    cancelTimer = work ? options.startTimer(work, Math.max(0, delayMs)) : () => {};
  }

  function renewIn(delayMs: number): void {
    // a failure is noted, and the session renewed again later
    setTimer(() => void (state.user && renew(state.user).catch(() => {})), delayMs);
  }

  /** A broker that cannot answer says nothing about the session: the user stays, and is renewed as soon as it can. */
  function fail(user: SignedInUser): void {
    if (state.user !== user) return;
    if (user.tokenExpiry <= now()) enter(user, { isAway: true });
    renewIn(nextWaitMs());
  }

  function nextWaitMs(): number {
    return Math.min(firstWaitMs * 2 ** failures++, longestWaitMs);
  }

  function keep(user: SignedInUser): SignedInUser {
    storeUser(local, user);
    wasSignedIn = false;
    enter(user);
    return user;
  }

  function drop({ hasEnded = false, isDeactivated = false } = {}): void {
    clearStoredUser(local, temporary);
    wasSignedIn = false;
    enter(undefined, { hasEnded, isDeactivated });
  }

  /** Spec part 1, section 4: the stored user if unexpired, else one refresh with the cookie, else signed out. */
  function restore(): Promise<void> {
    // the first try drops the expired copy
    wasSignedIn ||= local.getItem(userKey) !== null;
    clearStaleEntries(local, temporary, now());
    const stored = readStoredUser(local, now());
    if (stored) {
      enter(stored);
      return Promise.resolve();
    }
    if (!options.mayHaveCookie() && local.getItem(signOutKey) === null) {
      drop({ hasEnded: wasSignedIn }); // no cookie: no request is needed
      return Promise.resolve();
    }
    enter(undefined, { isRestoring: true, isAway: state.isAway ?? false });
    restoration ??= withLock(restoreByCookie)
      .catch(restoreLater)
      .finally(() => {
        restoration = undefined;
      });
    return restoration;
  }

  /** The broker did not answer: whether there is a user is not known yet. wake() asks again too. */
  function restoreLater(): void {
    mayRestoreLater = true;
    if (state.user) return;
    if (local.getItem(signOutKey) !== null) return enter(undefined); // there is none: the person has signed out
    enter(undefined, { isRestoring: true, isAway: true });
    setTimer(() => void (state.user ? undefined : restore()), nextWaitMs());
  }

  async function restoreByCookie(): Promise<void> {
    mayRestoreLater = false;
    if (local.getItem(signOutKey) !== null) return finishSignOut();
    const stored = readStoredUser(local, now()); // another tab was first
    if (stored || state.user) return enter(stored ?? state.user);
    const tokens = await endpoint.refresh();
    const answer = tokens && (await endpoint.fetchProfile(tokens.accessToken));
    if (state.user || local.getItem(signOutKey) !== null) return enter(state.user);
    if (!answer || !('profile' in answer)) {
      // the profile that cannot be read now is no refusal
      if (answer?.isTemporary) throw new Error(answer.refused);
      return drop({ hasEnded: wasSignedIn });
    }
    keep(userOf(answer.profile, tokens));
  }

  async function signOut(): Promise<void> {
    local.setItem(signOutKey, '1');
    drop();
    options.clearCookies();
    // without an answer the mark stays, and the next start tries again before it uses the cookie
    await withLock(finishSignOut).catch(() => log('The sign-out has not reached the broker yet.'));
  }

  /** After a sign-in that failed: the user of before stays signed in. */
  function restoreIfUnknown(): void {
    if (state.isRestoring) void restore();
  }

  async function finishSignOut(): Promise<void> {
    await endpoint.signOut();
    local.removeItem(signOutKey);
    enter(state.user);
  }

  return {
    /** Restores the user. Synchronous where a stored one is good; the promise is for the cookie. */
    start: restore,

    getState: (): SessionState => state,

    /**
     * Tells the listener the current user at once, and again on every change.
     * @returns a function that unsubscribes it
     */
    subscribe(listener: (user: SignedInUser | undefined) => void): () => void {
      listeners.add(listener);
      listener(state.user);
      return () => void listeners.delete(listener);
    },

    /** The bearer token of the current user, renewed first when it is about to expire; undefined when signed out. */
    async token(): Promise<string | undefined> {
      const { user } = state;
      if (!user || user.tokenExpiry - now() > renewBeforeMs / 2) return user?.accessToken;
      try {
        return (await renew(user))?.accessToken;
      } catch (error) {
        if (user.tokenExpiry > now()) return user.accessToken;
        throw error;
      }
    },

    /** A fetch for authorised calls: a 401 renews the token once and asks again. */
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const sent = new Headers(init.headers).get('authorization')?.replace(/^Bearer /, '');
      const response = await options.fetch(url, { ...init, credentials: 'include' });
      const { user } = state;
      if (response.status !== 401 || sent === undefined || !user) return response;
      const renewed = user.accessToken === sent ? await renew(user).catch(() => undefined) : user;
      if (!renewed) return response;
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${renewed.accessToken}`);
      return options.fetch(url, { ...init, headers, credentials: 'include' });
    },

    /** Sends the whole page to the broker's sign-in; see sign-in.ts. */
    startSignIn: (path: string): Promise<never> => signIn.start(path),

    /** Ends the session at the broker first, then sends the page to a sign-in that asks for the account. */
    async switchAccount(path: string): Promise<never> {
      await signOut();
      return signIn.start(path, { mustAsk: true });
    },

    /** Finishes the sign-in on /auth/callback, in place of start(); see sign-in.ts. */
    completeSignIn: (query: URLSearchParams): Promise<string> => signIn.complete(query).finally(restoreIfUnknown),

    /** Finishes the sign-in on /auth/success, in place of start(), or says what to ask first; see hand-off.ts. */
    openHandOff: (address: HandOffAddress): Promise<string | HandOffQuestion> =>
      handOff.open(address).finally(restoreIfUnknown),

    /** Signs out here and in every tab at once, then at the broker, which refuses the tokens from then on. */
    signOut,

    /** Reads storage again and tells the subscribers when it has a user. */
    forceRefresh(): void {
      const stored = readStoredUser(local, now());
      if (!stored) return;
      state = { user: undefined, isRestoring: false };
      enter(stored);
    },

    /**
     * Wipes all auth data of this browser, tells the subscribers that there is no user, and ends the refresh cookie at
     * the broker, so that no new tab is signed in again (clarifications, Sign-in).
     */
    async forceClear(): Promise<void> {
      clearSignInState(temporary);
      state = { user: undefined, isRestoring: true }; // so that the subscribers are told in any case
      await signOut();
    },

    clearStale: () => clearStaleEntries(local, temporary, now()),

    /** The person has read that the session ended. */
    acknowledgeEnd: () => !state.user && enter(undefined),

    /** Another tab or window signed in or out. `key` is the storage event's: null for a message, or when all was cleared. */
    noticeStorage(key: string | null): void {
      if (key !== null && key !== tokensKey && key !== broadcastKey) return;
      const stored = readStoredUser(local, now());
      const { user } = state;
      // a tab that opens drops an expired copy, which is no sign-out: the broker says whether the session goes on
      if (user && !stored && user.tokenExpiry <= now() && local.getItem(signOutKey) === null) return renewIn(0);
      if (stored?.accessToken !== user?.accessToken) enter(stored, { hasEnded: !stored });
    },

    /** The page is visible or online again: repeats what failed meanwhile. */
    async wake(): Promise<void> {
      const { user } = state;
      if (!user) return mayRestoreLater ? restore() : undefined;
      if (user.tokenExpiry - now() < renewBeforeMs) await renew(user).catch(() => undefined);
    },

    /**
     * The profile of the current user (spec part 1, section 7).
     * @returns null when it could not be fetched, which is logged
     * @throws ApiError 'No authenticated user' without a session
     */
    async fetchProfile(): Promise<UserProfile | null> {
      const token = await this.token();
      if (token === undefined)
        throw new ApiError({ message: 'No authenticated user', code: 'authentication_required' });
      const answer = await endpoint.fetchProfile(token).catch((error: unknown) => ({ refused: String(error) }));
      if ('profile' in answer) return answer.profile;
      log(`Failed to fetch user profile: ${answer.refused}`);
      return null;
    },
  };
}
