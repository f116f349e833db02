/** Spec part 1, section 9. */
const widthPx = 600;
const heightPx = 700;
const pollEveryMs = 1_000;
const waitAfterCloseMs = 5_000;
const timeoutMs = 300_000;

/** Name of every sign-in window. It survives visits to other sites, so our page in the window recognises it at the end. */
export const popupName = 'souk-sign-in';

/** The message by which a page in the popup tells its opener that a sign-in worked. */
const successMessage = { type: 'souk:sign-in', success: true } as const;

/** The parts of a browser that a popup needs; tests pass their own. */
export type PopupHost = {
  origin: string;
  /** Where this window stands, for the popup to open over its middle. */
  frame: { left: number; top: number; width: number; height: number };
  open: (url: string, name: string, features: string) => PopupWindow | null;
  /** @returns a function that stops listening */
  listen: (onMessage: (message: { origin: string; data: unknown }) => void) => () => void;
};
export type PopupWindow = {
  closed: boolean;
  close: () => void;
  focus: () => void;
  location: { href: string };
  /** What the pages in the window know of this one; null cuts it off. */
  opener: unknown;
};

/** Why the wait ended: a message of success, an address that means success, or a window that was closed. */
export type PopupEnd = 'message' | 'address' | 'closed';

export type WaitOptions = {
  /** Whether an address of our own origin means that the popup has come back: its success or callback page. */
  isDone: (address: URL) => boolean;
  /** Ends the wait and closes the window. */
  signal?: AbortSignal | undefined;
};

/** A sign-in window that is open. */
export type SignInPopup = {
  goTo: (url: string) => void;
  /**
   * Waits for the end of the sign-in (spec part 1, section 4, popup variant). After 'address' the window is left open:
   * its page finishes by itself and closes it.
   * @returns what ended it; 'closed' comes 5 seconds after the window was closed, since its success may still arrive
   * @throws Error 'OAuth authorization timed out after 5 minutes'
   */
  wait: (options: WaitOptions) => Promise<PopupEnd>;
  close: () => void;
};

/** The browser refused to open the window. */
export class PopupBlockedError extends Error {
  constructor() {
    super('Failed to open OAuth popup window. Please allow popups for this site.');
    this.name = 'PopupBlockedError';
  }
}

/**
 * Opens a window for a sign-in. Call it in the click itself, before anything is awaited: browsers block other windows.
 * Without a url it is empty, for an address that is not known yet: one of a server, whose pages could send this page elsewhere
 * by `window.opener` while the person looks at the window. They get none; the end is told by another way (sign-in-window.ts).
 * @throws PopupBlockedError
 */
export function openSignInPopup(url = '', host: PopupHost = browserHost()): SignInPopup {
  const popup = host.open(url, popupName, featuresOver(host.frame));
  if (!popup) throw new PopupBlockedError();
  if (url === '') popup.opener = null;
  popup.focus();
  return {
    goTo: (address) => void (popup.location.href = address),
    wait: (options) => waitForEnd(popup, host, options),
    close: () => popup.close(),
  };
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
    const stopListening = host.listen(({ origin, data }) => {
      if (origin === host.origin && isSuccess(data)) end(() => (popup.close(), resolve('message')));
    });
    const poll = setInterval(() => {
      if (popup.closed) closing ??= setTimeout(() => end(() => resolve('closed')), waitAfterCloseMs);
      else if (isDoneAddress(popup, host.origin, isDone)) end(() => resolve('address'));
    }, pollEveryMs);
    const timeout = setTimeout(
      () => end(() => (popup.close(), reject(new Error('OAuth authorization timed out after 5 minutes')))),
      timeoutMs,
    );
    signal?.addEventListener('abort', () => end(() => (popup.close(), resolve('closed'))), { once: true });
  });
}

/**
 * For the last page of a sign-in: tells the opener when it worked and closes the window. Does nothing outside a popup.
 * The caller continues as without it, since a browser may refuse to close the window.
 */
export function finishPopup(worked: boolean): void {
  if (!isPopup()) return;
  window.name = '';
  // reaches an opener of our own origin only
  if (worked) window.opener?.postMessage(successMessage, window.location.origin);
  window.close();
}

/** Whether this page is in a sign-in window. */
export function isPopup(): boolean {
  return window.name === popupName;
}

/** Whether a message is the one of finishPopup. The caller checks its origin first. */
export function isSuccess(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return 'type' in data && data.type === successMessage.type && 'success' in data && data.success === true;
}

function isDoneAddress(popup: PopupWindow, origin: string, isDone: (address: URL) => boolean): boolean {
  try {
    const address = new URL(popup.location.href);
    return address.origin === origin && isDone(address);
  } catch {
    return false; // on another site, whose address cannot be read
  }
}

function featuresOver({ left, top, width, height }: PopupHost['frame']): string {
  const x = Math.round(left + Math.max(0, (width - widthPx) / 2));
  const y = Math.round(top + Math.max(0, (height - heightPx) / 2));
  return `popup,width=${widthPx},height=${heightPx},left=${x},top=${y}`;
}

function browserHost(): PopupHost {
  return {
    origin: window.location.origin,
    frame: {
      left: window.screenX,
      top: window.screenY,
      width: window.outerWidth,
      height: window.outerHeight,
    },
    open: (url, name, features) => window.open(url, name, features),
    listen: (onMessage) => {
      window.addEventListener('message', onMessage);
      return () => window.removeEventListener('message', onMessage);
    },
  };
}
