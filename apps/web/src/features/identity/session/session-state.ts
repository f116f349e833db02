import type { KeyValueStore } from './session-storage.ts';
import type { SignInOptions } from '../sign-in/sign-in.ts';
import type { SignedInUser } from './signed-in-user.ts';

export type SessionOptions = Omit<SignInOptions, 'endpoint' | 'onSignedIn'> & {
  local: KeyValueStore;
  now: () => number;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  clearCookies: () => void;
  /** Returns whether the broker's refresh cookie may exist. false saves a visitor a request that must fail. */
  mayHaveCookie: () => boolean;
  /** @returns a function that cancels the timer */
  startTimer: (work: () => void, delayMs: number) => () => void;
  log: (message: string) => void;
};

export type SessionState = {
  user: SignedInUser | undefined;
  /** Not known yet whether there is a user. */
  isRestoring: boolean;
  /** The session ended without a sign-out on this page: it was refused, or another tab signed out. */
  hasEnded?: true;
  /** An administrator deactivated the account. */
  isDeactivated?: true;
  /**
   * The broker does not answer, so the session can be neither renewed nor restored for now. It is retried
   * automatically.
   */
  isAway?: true;
};
