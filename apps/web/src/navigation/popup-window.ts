import { signInWindowPath } from '@souk/contract/pages.ts';
import { browserMessages, markWindow, nextSignIn, onSignedIn, type MessageHost } from './sign-in-window.ts';

/** Spec part 1, section 9. */
const widthPx = 600;
const heightPx = 700;
const pollEveryMs = 1_000;
const waitAfterCloseMs = 5_000;
export const signInTimeoutMs = 300_000;

/** A second sign-in reuses the window of the first if it is still open. */
const popupName = 'souk-sign-in';
/** Interval and time limit of the check for our first page in the window. */
const lookEveryMs = 50;
const longestLookMs = 10_000;

/** The parts of a browser that a popup needs; tests pass their own. */
export type PopupHost = MessageHost & {
  /** The position of this window, over whose center the popup opens. */
  frame: { left: number; top: number; width: number; height: number };
  open: (url: string, name: string, features: string) => PopupWindow | null;
};
export type PopupWindow = {
  closed: boolean;
  close: () => void;
  focus: () => void;
  location: { href: string };
  document: { URL: string; readyState: string };
  sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** The window's reference to this page; null removes it. */
  opener: unknown;
};

/** Why the wait ended: a success message, an address that means success, or a closed window. */
export type PopupEnd = 'message' | 'address' | 'closed';

export type WaitOptions = {
  /**
   * For a sign-in at Souk itself: whether an address of our origin is its success or callback page. Its success message
   * ends the wait too.
   */
  isDone?: (address: URL) => boolean;
  signal?: AbortSignal | undefined;
};

export type SignInPopup = {
  /** Navigates the window. `state` names the sign-in whose last page closes it. */
  goTo: (url: string, state: string) => void;
  /**
   * Waits for the end of the sign-in (spec part 1, section 4, popup variant). After 'address' the window stays open:
   * its page finishes and closes it.
   * @returns what ended it. 'closed' comes 5 seconds after the window was closed, since a success message may still
   *   arrive. A window that a provider's page cut off from this one (Cross-Origin-Opener-Policy) looks closed too, and
   *   its sign-in may end much later
   * @throws Error 'OAuth authorization timed out after 5 minutes'
   */
  wait: (options: WaitOptions) => Promise<PopupEnd>;
  close: () => void;
};

/** Shown after a wait that ended with 'closed'. */
export const lostWindowText =
  "We can't see the sign-in window anymore. If it's still open, finish there and this page continues. If you closed it, try again.";

export class PopupBlockedError extends Error {
  constructor() {
    super('Failed to open OAuth popup window. Please allow popups for this site.');
    this.name = 'PopupBlockedError';
  }
}

/**
 * Opens a window for a sign-in. Call it in the click itself, before anything is awaited: browsers block other windows.
 * It shows a page of ours until goTo, since WebKit cuts off a window that goes from an empty page to another site.
 * @param to the site of the sign-in. A server's pages get no `window.opener`, through which they could navigate this
 *   page while the user looks at the window; sign-in-end.ts reports the end instead
 * @throws PopupBlockedError
 */
export function openSignInPopup(to: 'souk' | 'server', host: PopupHost = browserHost()): SignInPopup {
  const popup = host.open(signInWindowPath, popupName, featuresOver(host.frame));
  if (!popup) throw new PopupBlockedError();
  if (to === 'server') popup.opener = null;
  popup.focus();
  return {
    goTo: (address, state) => void sendTo(popup, host, address, state),
    wait: (options) => waitForEnd(popup, host, options),
    close: () => popup.close(),
  };
}

/**
 * Opens a window for a sign-in at Souk that begins at `path`. Call it in the click itself.
 * @throws PopupBlockedError
 */
export function openOwnSignIn(path: string): SignInPopup {
  const popup = openSignInPopup('souk');
  popup.goTo(path, nextSignIn);
  return popup;
}

async function sendTo(popup: PopupWindow, host: PopupHost, address: string, state: string): Promise<void> {
  for (let lookedMs = 0; lookedMs < longestLookMs && !showsOurPage(popup, host.origin); lookedMs += lookEveryMs) {
    if (popup.closed) return;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  try {
    markWindow(state, popup.sessionStorage);
  } catch {
    // storage is forbidden: this page closes the window if it still can
  }
  popup.location.href = address;
}

function showsOurPage(popup: PopupWindow, origin: string): boolean {
  try {
    const { URL: address, readyState } = popup.document;
    return address === origin + signInWindowPath && readyState !== 'loading';
  } catch {
    return false; // still on another site, from a previous sign-in
  }
}

function waitForEnd(popup: PopupWindow, host: PopupHost, { isDone, signal }: WaitOptions): Promise<PopupEnd> {
  return new Promise((resolve, reject) => {
    let closing: ReturnType<typeof setTimeout> | undefined;
    const end = (finish: () => void) => {
      clearInterval(poll);
      clearTimeout(timeout);
      clearTimeout(closing);
      stopListening();
      finish();
    };
    const stopListening = isDone ? onSignedIn(() => end(() => (popup.close(), resolve('message'))), host) : () => {};
    const poll = setInterval(() => {
      if (popup.closed) closing ??= setTimeout(() => end(() => resolve('closed')), waitAfterCloseMs);
      else if (isDone && isDoneAddress(popup, host.origin, isDone)) end(() => resolve('address'));
    }, pollEveryMs);
    const timeout = setTimeout(
      () => end(() => (popup.close(), reject(new Error('OAuth authorization timed out after 5 minutes')))),
      signInTimeoutMs,
    );
    signal?.addEventListener('abort', () => end(() => (popup.close(), resolve('closed'))), { once: true });
  });
}

function isDoneAddress(popup: PopupWindow, origin: string, isDone: (address: URL) => boolean): boolean {
  try {
    const address = new URL(popup.location.href);
    return address.origin === origin && isDone(address);
  } catch {
    return false; // another site's address cannot be read
  }
}

function featuresOver({ left, top, width, height }: PopupHost['frame']): string {
  const x = Math.round(left + Math.max(0, (width - widthPx) / 2));
  const y = Math.round(top + Math.max(0, (height - heightPx) / 2));
  return `popup,width=${widthPx},height=${heightPx},left=${x},top=${y}`;
}

function browserHost(): PopupHost {
  return {
    ...browserMessages(),
    frame: {
      left: window.screenX,
      top: window.screenY,
      width: window.outerWidth,
      height: window.outerHeight,
    },
    open: (url, name, features) => window.open(url, name, features),
  };
}
