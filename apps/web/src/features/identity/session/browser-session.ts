import { ApiError } from '@souk/contract/client.ts';
import { config } from '#web/config.ts';
import { isSuccess } from '#web/navigation/sign-in-window.ts';
import { arrivedHandOff } from '../sign-in/hand-off-address.ts';
import { createSession, type Session } from './session.ts';
import type { KeyValueStore } from './session-storage.ts';

/** Cookies of earlier releases (spec part 1, section 4): ignored, and removed at sign-out. */
const olderCookies = ['user_data', 'auth_token'];

/** Creates the session of this page, with the browser's storage, locks, clock and address. Call it once. */
export function createBrowserSession(): Session {
  const session = createSession({
    origin: window.location.origin,
    local: openStorage(() => window.localStorage),
    temporary: openStorage(() => window.sessionStorage),
    fetch: (url, init) => fetch(url, init),
    now: () => Date.now(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    sha256,
    withLock,
    leaveTo: (address) => window.location.assign(address),
    clearCookies,
    mayHaveCookie,
    startTimer: (work, delayMs) => {
      const timer = setTimeout(work, delayMs);
      return () => clearTimeout(timer);
    },
    // oxlint-disable-next-line no-console -- the session's log is the browser's console
    log: (message) => console.warn(message),
  });
  window.addEventListener('storage', (event) => session.noticeStorage(event.key));
  window.addEventListener('message', ({ origin, data }) => {
    if (origin === window.location.origin && isSuccess(data)) session.noticeStorage(null);
  });
  window.addEventListener('online', () => void session.wake());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void session.wake();
  });
  // a page from the back-forward cache has missed what other tabs did
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) session.noticeStorage(null);
  });
  // these two screens sign a user in themselves, so the cookie is not tried first
  if (window.location.pathname !== '/auth/callback' && !arrivedHandOff) void session.start();
  return session;
}

async function sha256(text: string): Promise<Uint8Array> {
  // browsers offer it only on https and on localhost
  if (!window.isSecureContext) {
    throw new ApiError({ message: 'Sign-in needs https, or localhost.', code: 'insecure_address' });
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

async function withLock<T>(work: () => Promise<T>): Promise<T> {
  if (!window.isSecureContext) return work();
  return navigator.locks.request('souk.session', work);
}

/**
 * Scripts cannot see the refresh cookie. The broker sets a second, readable cookie as a hint, so that a visitor's page
 * does not ask for a session that cannot exist. The hint of a broker on another origin cannot be read here.
 */
function mayHaveCookie(): boolean {
  return config.publicUrl !== window.location.origin || /(^|; )souk_signed_in=/.test(document.cookie);
}

function clearCookies(): void {
  for (const name of olderCookies) {
    for (const domain of ['', `; domain=${window.location.hostname}`]) {
      document.cookie = `${name}=; path=/; max-age=0${domain}`;
    }
  }
}

/** Returns the browser's storage. If it is forbidden, returns one in memory that lasts as long as the page. */
function openStorage(open: () => Storage): KeyValueStore {
  try {
    const storage = open();
    storage.getItem('souk');
    return storage;
  } catch {
    const entries = new Map<string, string>();
    return {
      getItem: (key) => entries.get(key) ?? null,
      setItem: (key, value) => void entries.set(key, value),
      removeItem: (key) => void entries.delete(key),
    };
  }
}
