import { readStoredUser, signOutKey, type KeyValueStore } from './session-storage.ts';
import type { SignedInUser } from './signed-in-user.ts';
import type { TokenEndpoint, Tokens } from './token-endpoint.ts';

const refusedAgainAfterMs = 1_000;

export type RenewalOptions = {
  local: KeyValueStore;
  now: () => number;
  /** Runs the work in one tab at a time. */
  withLock: <T>(work: () => Promise<T>) => Promise<T>;
  startTimer: (work: () => void, delayMs: number) => () => void;
  endpoint: Pick<TokenEndpoint, 'refresh' | 'isDeactivated'>;
  /** The session's user at this moment. */
  current: () => SignedInUser | undefined;
  /** Takes a user whom another tab has stored. */
  enter: (user: SignedInUser) => void;
  keep: (user: SignedInUser) => SignedInUser;
  drop: (end: { hasEnded: boolean; isDeactivated: boolean }) => void;
  /** Is told once of each renewal that the broker could not answer. */
  fail: (user: SignedInUser) => void;
};

/**
 * Renews the access token: one renewal at a time, in this tab and over all of them.
 * @returns renews for the user with the old token, and answers the user of afterwards
 */
export function createRenewal(options: RenewalOptions): (old: SignedInUser) => Promise<SignedInUser | undefined> {
  const { local, now, endpoint, current } = options;
  let running: Promise<SignedInUser | undefined> | undefined;

  async function renew(old: SignedInUser): Promise<SignedInUser | undefined> {
    const stored = readStoredUser(local, now());
    if (stored && stored.accessToken !== old.accessToken) {
      options.enter(stored); // another tab was first
      return stored;
    }
    if (current() !== old) return current();
    const tokens = (await endpoint.refresh(old.refreshToken)) ?? (await refreshAgain(old));
    // signed out meanwhile, here or in another tab: the answer must not bring the user back
    if (current() !== old || local.getItem(signOutKey) !== null) return current();
    if (tokens) return options.keep({ ...old, ...tokens });
    const isDeactivated = await endpoint.isDeactivated(old.accessToken);
    if (current() !== old) return current();
    options.drop({ hasEnded: true, isDeactivated });
    return undefined;
  }

  /**
   * A tab that is closed in the middle of a renewal frees the lock before the answer has set the next cookie. The
   * refusal that follows says nothing about the session, so a refusal counts only when it comes twice.
   */
  async function refreshAgain(old: SignedInUser): Promise<Tokens | undefined> {
    await new Promise<void>((resolve) => void options.startTimer(resolve, refusedAgainAfterMs));
    return current() === old ? endpoint.refresh(old.refreshToken) : undefined;
  }

  return (old) =>
    (running ??= options
      .withLock(() => renew(old))
      .catch((error: unknown) => {
        options.fail(old);
        throw error;
      })
      .finally(() => {
        running = undefined;
      }));
}
