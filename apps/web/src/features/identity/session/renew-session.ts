import type { SessionOptions } from './session-state.ts';
import { readStoredUser, signOutKey } from './session-storage.ts';
import type { SessionStore } from './session-store.ts';
import type { SignedInUser } from './signed-in-user.ts';
import type { TokenEndpoint, Tokens } from './token-endpoint.ts';

const secondTryAfterMs = 1_000;

export type RenewalParts = Pick<SessionOptions, 'local' | 'now' | 'withLock' | 'startTimer'> & {
  endpoint: Pick<TokenEndpoint, 'refresh' | 'isDeactivated'>;
  store: Pick<SessionStore, 'getState' | 'enter' | 'keep' | 'drop' | 'fail'>;
};

/**
 * Renews the access token: one renewal at a time, in this tab and across all tabs.
 * @returns a function that renews the token of a user and returns the session's user afterwards
 */
export function createRenewal(parts: RenewalParts): (old: SignedInUser) => Promise<SignedInUser | undefined> {
  const { local, now, endpoint, store } = parts;
  const current = () => store.getState().user;
  let running: Promise<SignedInUser | undefined> | undefined;

  async function renew(old: SignedInUser): Promise<SignedInUser | undefined> {
    const stored = readStoredUser(local, now());
    if (stored && stored.accessToken !== old.accessToken) {
      store.enter(stored); // another tab renewed it
      return stored;
    }
    if (current() !== old) return current();
    const tokens = (await endpoint.refresh(old.refreshToken)) ?? (await refreshAgain(old));
    // signed out meanwhile, here or in another tab: the answer must not bring the user back
    if (current() !== old || local.getItem(signOutKey) !== null) return current();
    if (tokens) return store.keep({ ...old, ...tokens });
    const isDeactivated = await endpoint.isDeactivated(old.accessToken);
    if (current() !== old) return current();
    store.drop({ hasEnded: true, isDeactivated });
    return undefined;
  }

  /**
   * A tab that is closed during a renewal frees the lock before the answer has set the next cookie. The refusal that
   * follows says nothing about the session, so only a second refusal counts.
   */
  async function refreshAgain(old: SignedInUser): Promise<Tokens | undefined> {
    await new Promise<void>((resolve) => void parts.startTimer(resolve, secondTryAfterMs));
    return current() === old ? endpoint.refresh(old.refreshToken) : undefined;
  }

  return (old) =>
    (running ??= parts
      .withLock(() => renew(old))
      .catch((error: unknown) => {
        store.fail(old);
        throw error;
      })
      .finally(() => {
        running = undefined;
      }));
}
