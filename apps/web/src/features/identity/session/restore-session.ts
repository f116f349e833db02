import { userOf } from '../sign-in/sign-in.ts';
import type { SessionOptions } from './session-state.ts';
import { clearStaleEntries, readStoredUser, signOutKey } from './session-storage.ts';
import type { SessionStore } from './session-store.ts';
import type { TokenEndpoint } from './token-endpoint.ts';

export type RestorationParts = SessionOptions & { endpoint: TokenEndpoint; store: SessionStore };

/** Finds out who is signed in when a page starts, and signs out. */
export function createRestoration(parts: RestorationParts) {
  const { local, temporary, now, withLock, endpoint, store } = parts;
  let running: Promise<void> | undefined;
  let mayRestoreLater = false;

  function restore(): Promise<void> {
    store.noteStoredUser();
    clearStaleEntries(local, temporary, now());
    const stored = readStoredUser(local, now());
    if (stored) {
      store.enter(stored);
      return Promise.resolve();
    }
    if (!parts.mayHaveCookie() && local.getItem(signOutKey) === null) {
      store.dropUnrestored(); // no cookie: no request is needed
      return Promise.resolve();
    }
    store.enter(undefined, { isRestoring: true, isAway: store.getState().isAway ?? false });
    running ??= withLock(restoreByCookie)
      .catch(restoreLater)
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  function restoreLater(): void {
    mayRestoreLater = true;
    if (store.getState().user) return;
    if (local.getItem(signOutKey) !== null) return store.enter(undefined); // the user has signed out
    store.waitForBroker(restore);
  }

  async function restoreByCookie(): Promise<void> {
    mayRestoreLater = false;
    if (local.getItem(signOutKey) !== null) return finishSignOut();
    const current = readStoredUser(local, now()) ?? store.getState().user; // another tab was first
    if (current) return store.enter(current);
    const tokens = await endpoint.refresh();
    const answer = tokens && (await endpoint.fetchProfile(tokens.accessToken));
    const { user } = store.getState();
    if (user || local.getItem(signOutKey) !== null) return store.enter(user);
    if (!answer || !('profile' in answer)) {
      // a profile that cannot be fetched for now is not a refusal
      if (answer?.isTemporary) throw new Error(answer.refused);
      return store.dropUnrestored();
    }
    store.keep(userOf(answer.profile, tokens));
  }

  async function finishSignOut(): Promise<void> {
    await endpoint.signOut();
    local.removeItem(signOutKey);
    store.enter(store.getState().user);
  }

  return {
    /**
     * Takes the stored user if unexpired, else refreshes once with the cookie, else signs out (spec part 1, section 4).
     */
    restore,

    /** Restores again if the broker did not answer the last time. */
    repeat: (): Promise<void> | undefined => (mayRestoreLater ? restore() : undefined),

    async signOut(): Promise<void> {
      local.setItem(signOutKey, '1');
      store.drop();
      parts.clearCookies();
      // without an answer the mark stays, and the next start signs out before it uses the cookie
      await withLock(finishSignOut).catch(() => parts.log('The sign-out has not reached the broker yet.'));
    },
  };
}
