import { createHandOff, type HandOffAddress, type HandOffQuestion } from '../sign-in/hand-off.ts';
import { createSignIn } from '../sign-in/sign-in.ts';
import { createAuthorizedCalls } from './authorized-calls.ts';
import { createRenewal } from './renew-session.ts';
import { createRestoration } from './restore-session.ts';
import type { SessionOptions } from './session-state.ts';
import {
  broadcastKey,
  clearSignInState,
  clearStaleEntries,
  clearStoredUser,
  readStoredUser,
  signOutKey,
  tokensKey,
} from './session-storage.ts';
import { createSessionStore, renewBeforeMs } from './session-store.ts';
import type { SignedInUser } from './signed-in-user.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

export type Session = ReturnType<typeof createSession>;

/**
 * The session of the web app: who is signed in, in every tab of this browser, with an access token that is renewed in
 * time. Everything that touches the browser is passed in.
 */
export function createSession(options: SessionOptions) {
  const { local, temporary, now } = options;
  const endpoint = createTokenEndpoint(options);
  const store = createSessionStore(options, (user) => renew(user));
  const renew = createRenewal({ ...options, endpoint, store });
  const { restore, repeat, signOut } = createRestoration({ ...options, endpoint, store });
  const signIn = createSignIn({ ...options, endpoint, onSignedIn });
  const handOff = createHandOff({
    ...options,
    endpoint,
    onSignedIn,
    signOut,
    startSignInAnew: (path) => signIn.start(path, { mustAsk: true }),
    findCurrent: async () => {
      await restore();
      return store.getState().user;
    },
  });

  function onSignedIn(user: SignedInUser): void {
    clearStoredUser(local, temporary);
    local.removeItem(signOutKey);
    store.keep(user);
  }

  /** Call it after a sign-in, which may have failed: the previous user stays signed in. */
  function restoreIfUnknown(): void {
    if (store.getState().isRestoring) void restore();
  }

  return {
    ...createAuthorizedCalls({ ...options, endpoint, store, renew }),
    getState: store.getState,
    subscribe: store.subscribe,
    /** Restores the user: immediately from storage if unexpired, else with the cookie, for which the promise waits. */
    start: restore,
    /** Sends the whole page to the broker's sign-in; see sign-in.ts. */
    startSignIn: (path: string): Promise<never> => signIn.start(path),
    /** Ends the session at the broker first, then sends the page to a sign-in that asks for the account. */
    async switchAccount(path: string): Promise<never> {
      await signOut();
      return signIn.start(path, { mustAsk: true });
    },
    /** Finishes the sign-in on /auth/callback, instead of start(); see sign-in.ts. */
    completeSignIn: (query: URLSearchParams): Promise<string> => signIn.complete(query).finally(restoreIfUnknown),
    /** Finishes the sign-in on /auth/success, instead of start(), or returns what to ask first; see hand-off.ts. */
    openHandOff: (address: HandOffAddress): Promise<string | HandOffQuestion> =>
      handOff.open(address).finally(restoreIfUnknown),
    /** Signs out immediately in every tab, then at the broker, which refuses the tokens from then on. */
    signOut,
    /** Rereads the storage, and notifies the subscribers if it has a user. */
    forceRefresh(): void {
      const stored = readStoredUser(local, now());
      if (!stored) return;
      store.reset({ user: undefined, isRestoring: false });
      store.enter(stored);
    },
    /**
     * Removes all auth data of this browser, notifies the subscribers that there is no user, and ends the refresh
     * cookie at the broker, so that no new tab is signed in again (clarifications, Sign-in).
     */
    async forceClear(): Promise<void> {
      clearSignInState(temporary);
      store.reset({ user: undefined, isRestoring: true });
      await signOut();
    },
    clearStale: () => clearStaleEntries(local, temporary, now()),
    /** Hides the notice that the session ended. */
    acknowledgeEnd: () => !store.getState().user && store.enter(undefined),
    /**
     * Call it when another tab or window signed in or out.
     * @param key the storage event's key; null for a message, or when everything was cleared
     */
    noticeStorage(key: string | null): void {
      if (key !== null && key !== tokensKey && key !== broadcastKey) return;
      const stored = readStoredUser(local, now());
      const { user } = store.getState();
      // a tab that opens drops an expired copy without a sign-out: the broker says whether the session continues
      if (user && !stored && user.tokenExpiry <= now() && local.getItem(signOutKey) === null) return store.renewIn(0);
      if (stored?.accessToken !== user?.accessToken) store.enter(stored, { hasEnded: !stored });
    },
    /** Call it when the page is visible or online again: repeats what failed meanwhile. */
    async wake(): Promise<void> {
      const { user } = store.getState();
      if (!user) return repeat();
      if (user.tokenExpiry - now() < renewBeforeMs) await renew(user).catch(() => undefined);
    },
  };
}
