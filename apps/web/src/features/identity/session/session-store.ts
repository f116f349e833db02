import type { SessionOptions, SessionState } from './session-state.ts';
import { clearStoredUser, storeUser, userKey } from './session-storage.ts';
import type { SignedInUser } from './signed-in-user.ts';

/** Time before the expiry at which the token is renewed. A token with less than half of it left is not sent. */
export const renewBeforeMs = 60_000;
/** The wait doubles with each attempt that the broker does not answer. */
const firstWaitMs = 2_000;
const longestWaitMs = 30_000;

type Flags = { isRestoring?: boolean; hasEnded?: boolean; isDeactivated?: boolean; isAway?: boolean };
const stateKeys = ['user', 'isRestoring', 'hasEnded', 'isDeactivated', 'isAway'] as const;

type SessionStoreOptions = Pick<SessionOptions, 'local' | 'temporary' | 'now' | 'startTimer'>;

export type SessionStore = ReturnType<typeof createSessionStore>;

/**
 * The state of the session with its transitions. Each one notifies the subscribers and schedules the next renewal.
 * @param renew renews the user's token; a failure is reported through `fail`
 */
export function createSessionStore(
  { local, temporary, now, startTimer }: SessionStoreOptions,
  renew: (user: SignedInUser) => Promise<unknown>,
) {
  const listeners = new Set<(user: SignedInUser | undefined) => void>();
  let state: SessionState = { user: undefined, isRestoring: true };
  let wasSignedIn = false;
  let failures = 0;
  let cancelTimer = () => {};

  function enter(user: SignedInUser | undefined, flags: Flags = {}): void {
    const next = stateOf(user, flags);
    if (stateKeys.every((key) => state[key] === next[key])) return;
    state = next;
    if (!next.isAway) failures = 0;
    if (user) renewIn(user.tokenExpiry - renewBeforeMs - now());
    else setTimer();
    for (const listener of listeners) listener(user);
  }

  function setTimer(work?: () => void, delayMs = 0): void {
    cancelTimer();
    cancelTimer = work ? startTimer(work, Math.max(0, delayMs)) : () => {};
  }

  function renewIn(delayMs: number): void {
    setTimer(() => void (state.user && renew(state.user).catch(() => {})), delayMs);
  }

  function nextWaitMs(): number {
    return Math.min(firstWaitMs * 2 ** failures++, longestWaitMs);
  }

  function drop(flags: Pick<Flags, 'hasEnded' | 'isDeactivated'> = {}): void {
    clearStoredUser(local, temporary);
    wasSignedIn = false;
    enter(undefined, flags);
  }

  return {
    getState: (): SessionState => state,

    /**
     * Calls the listener immediately with the current user, and again on every change.
     * @returns a function that unsubscribes it
     */
    subscribe(listener: (user: SignedInUser | undefined) => void): () => void {
      listeners.add(listener);
      listener(state.user);
      return () => void listeners.delete(listener);
    },

    /** Makes a stored user the session's user. Undefined: there is none. */
    enter,

    /** Stores the user for every tab, and makes them the session's user. */
    keep(user: SignedInUser): SignedInUser {
      storeUser(local, user);
      wasSignedIn = false;
      enter(user);
      return user;
    },

    /** Removes the stored user. */
    drop,

    /** Remembers whether this browser has a user stored: an expired copy is about to be removed. */
    noteStoredUser(): void {
      wasSignedIn ||= local.getItem(userKey) !== null;
    },

    /** Call it if there is nothing to restore. The session has ended if this browser had a user. */
    dropUnrestored: (): void => drop({ hasEnded: wasSignedIn }),

    renewIn,

    /** Call it if the broker could not answer a renewal. That doesn't end the session: the renewal is retried. */
    fail(user: SignedInUser): void {
      if (state.user !== user) return;
      if (user.tokenExpiry <= now()) enter(user, { isAway: true });
      renewIn(nextWaitMs());
    },

    /** Calls `restore` again later, since the broker could not say whether there is a user. */
    waitForBroker(restore: () => Promise<void>): void {
      enter(undefined, { isRestoring: true, isAway: true });
      setTimer(() => void (state.user ? undefined : restore()), nextWaitMs());
    },

    /** Replaces the state silently, so that the next transition always reaches the subscribers. */
    reset(next: SessionState): void {
      state = next;
    },
  };
}

function stateOf(
  user: SignedInUser | undefined,
  { isRestoring = false, hasEnded, isDeactivated, isAway }: Flags,
): SessionState {
  return {
    user,
    isRestoring,
    ...(hasEnded && { hasEnded }),
    ...(isDeactivated && { isDeactivated }),
    ...(isAway && { isAway }),
  };
}
