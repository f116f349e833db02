/**
 * Key in a window's own storage. Its value is the sign-in that the window was opened for. A visit to another site may
 * clear the window's name and its opener, and then the opener sees it as closed (docs/decisions/0076).
 */
const key = 'souk.sign-in.window';
/**
 * Name of the channel, which reaches the pages of this origin where storage events do not: WebKit loses them once a
 * window was cut off.
 */
const channelName = 'souk-sign-in';
const successMessage = { type: 'souk:sign-in', success: true } as const;

/** The state of a sign-in that a new window starts itself. */
export const nextSignIn = 'next';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Marks a window as opened for the sign-in `state`.
 * @param store the window's own storage
 */
export function markWindow(state: string, store: Store): void {
  store.setItem(key, state);
}

/** Call it where a sign-in starts. In a sign-in window, the window then closes after this sign-in. */
export function claimWindow(state: string, store: Store): void {
  if (store.getItem(key) !== null) store.setItem(key, state);
}

export function isSignInWindow(state: string): boolean {
  try {
    return window.sessionStorage.getItem(key) === state;
  } catch {
    return false; // storage is forbidden
  }
}

/**
 * Closes the window if it was opened for the sign-in `state`. Call it on the last page.
 * @returns whether it was. A browser may leave the window open anyway
 */
export function closeSignInWindow(state: string): boolean {
  if (!isSignInWindow(state)) return false;
  window.sessionStorage.removeItem(key);
  window.close();
  return true;
}

/**
 * Continues after a sign-in. A window with an opener loads the next page from the broker, since that page's opener
 * policy cuts the window off from another site that opened it.
 * @param replace navigates within this page
 */
export function leaveSignIn(path: string, replace: (path: string) => void): void {
  if (window.opener) window.location.replace(path);
  else replace(path);
}

/** Notifies the waiting pages that the sign-in of this window worked. Does nothing in any other window. */
export function announceSignIn(state: string): void {
  if (!isSignInWindow(state)) return;
  // reaches an opener of our own origin only
  window.opener?.postMessage(successMessage, window.location.origin);
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches this origin alone
  channel.postMessage(successMessage);
  channel.close();
}

/** The parts of a browser by which pages of this origin reach each other; tests pass their own. */
export type MessageHost = {
  origin: string;
  /** @returns a function that stops listening */
  listen: (onMessage: (message: { origin: string; data: unknown }) => void) => () => void;
};

/**
 * Listens for announceSignIn, whose message may arrive in either way or both.
 * @returns a function that stops listening
 */
export function onSignedIn(listener: () => void, { origin, listen }: MessageHost = browserMessages()): () => void {
  return listen((message) => {
    if (message.origin === origin && isSuccess(message.data)) listener();
  });
}

export function browserMessages(): MessageHost {
  return {
    origin: window.location.origin,
    listen: (onMessage) => {
      const channel = new BroadcastChannel(channelName);
      channel.addEventListener('message', onMessage);
      window.addEventListener('message', onMessage);
      return () => {
        channel.close();
        window.removeEventListener('message', onMessage);
      };
    },
  };
}

/** Returns whether a message is from announceSignIn. Check its origin first. */
export function isSuccess(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return 'type' in data && data.type === successMessage.type && 'success' in data && data.success === true;
}
