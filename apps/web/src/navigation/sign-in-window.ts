/**
 * For the pages in a sign-in window. The window's own storage says which sign-in it was opened for: a visit to another site may
 * take away its name and its opener, and then the opener sees it closed (docs/decisions/0076).
 */
const key = 'souk.sign-in.window';
/** Reaches the pages of this origin where storage events do not: WebKit loses them once a window was cut off. */
const channelName = 'souk-sign-in';
/** The message by which a sign-in window says that its sign-in worked. */
const successMessage = { type: 'souk:sign-in', success: true } as const;

/** Stands for the sign-in that a new window starts by itself. */
export const nextSignIn = 'next';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Marks a window, of which `store` is the own storage, as opened for the sign-in `state`. */
export function markWindow(state: string, store: Store): void {
  store.setItem(key, state);
}

/** A sign-in starts here: if this is a sign-in window, it now ends with this one. */
export function claimWindow(state: string, store: Store): void {
  if (store.getItem(key) !== null) store.setItem(key, state);
}

/** Whether this window was opened for the sign-in `state`. */
export function isSignInWindow(state: string): boolean {
  try {
    return window.sessionStorage.getItem(key) === state;
  } catch {
    return false; // storage is forbidden
  }
}

/**
 * For the last page of the sign-in `state`: closes the window that was opened for it.
 * @returns whether this is such a window. A browser may leave it open all the same
 */
export function closeSignInWindow(state: string): boolean {
  if (!isSignInWindow(state)) return false;
  window.sessionStorage.removeItem(key);
  window.close();
  return true;
}

/**
 * Goes on after a sign-in. A window that has an opener loads the next page anew: that page's policy takes the window away from
 * another site.
 * @param replace goes there within this page
 */
export function leaveSignIn(path: string, replace: (path: string) => void): void {
  if (window.opener) window.location.replace(path);
  else replace(path);
}

/** Tells the pages that wait for the sign-in of this window that it worked. Does nothing in any other window. */
export function tellSignedIn(state: string): void {
  if (!isSignInWindow(state)) return;
  // reaches an opener of our own origin only
  window.opener?.postMessage(successMessage, window.location.origin);
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches this origin alone
  channel.postMessage(successMessage);
  channel.close();
}

/** The parts of a browser by which pages of this origin hear of each other; tests pass their own. */
export type Hearing = {
  origin: string;
  /** @returns a function that stops listening */
  listen: (onMessage: (message: { origin: string; data: unknown }) => void) => () => void;
};

/**
 * Hears what tellSignedIn says, by either way and maybe by both.
 * @returns a function that stops listening
 */
export function onSignedIn(listener: () => void, { origin, listen }: Hearing = hearing()): () => void {
  return listen((message) => {
    if (message.origin === origin && isSuccess(message.data)) listener();
  });
}

export function hearing(): Hearing {
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

/** Whether a message is the one of tellSignedIn. The caller checks its origin first. */
export function isSuccess(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return 'type' in data && data.type === successMessage.type && 'success' in data && data.success === true;
}
