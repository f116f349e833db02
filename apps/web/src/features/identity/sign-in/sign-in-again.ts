import { openOwnSignIn, signInTimeoutMs } from '#web/navigation/popup-window.ts';
import { onSignedIn } from '#web/navigation/sign-in-window.ts';
import { untilTold } from './popup-sign-in.ts';
import type { Session } from '../session/session.ts';
import { returnPathKey } from '../session/session-storage.ts';
import type { SignedInUser } from '../session/signed-in-user.ts';

/** Ends what is left of the wait for the window before. */
let stopWaiting = () => {};

/**
 * Signs the user in once more, in a window of its own, while this page stays as it is: for actions that want a recent sign-in.
 * Call it in the click itself. The broker asks at the provider anew and takes this user alone; a sign-in of another account
 * is refused in the window, in words, and changes nothing.
 * @param onLate the sign-in ended after this had answered false: the page had lost sight of the window
 * @returns false when the window was closed without it
 * @throws PopupBlockedError, and Error with the text of spec part 1, section 8 when it takes too long
 */
export async function signInAgainByPopup(session: Session, onLate: () => void): Promise<boolean> {
  const before = session.getState().user;
  if (!before) return false;
  stopWaiting();
  const begunAtMs = Date.now();
  const end = await openOwnSignIn(addressFor(before)).wait({ isDone: ({ pathname }) => pathname === '/auth/success' });
  const isRenewed = () => {
    const { user } = session.getState();
    return user?.id === before.id && user.accessToken !== before.accessToken;
  };
  // storage events may be lost with the window
  session.noticeStorage(null);
  if (end !== 'closed' && !isRenewed()) await untilTold(session, isRenewed);
  if (isRenewed()) return true;
  waitOn(begunAtMs + signInTimeoutMs - Date.now(), () => {
    session.noticeStorage(null);
    if (!isRenewed()) return false;
    onLate();
    return true;
  });
  return false;
}

/** Hears of sign-ins in windows for as long as they may take, until one of them is the one. */
function waitOn(leftMs: number, isThatOne: () => boolean): void {
  const stop = () => {
    clearTimeout(timer);
    stopListening();
  };
  const timer = setTimeout(stop, leftMs);
  const stopListening = onSignedIn(() => isThatOne() && stop());
  stopWaiting = stop;
}

/** The same with the whole page, which comes back to where it was. Never returns. */
export function signInAgainInTab(session: Session): Promise<never> {
  const { user } = session.getState();
  window.sessionStorage.setItem(returnPathKey, window.location.pathname + window.location.search);
  window.location.assign(user ? addressFor(user) : '/sign-in');
  return new Promise<never>(() => {});
}

/** The stand-in has Google's address. */
function addressFor({ id, provider }: SignedInUser): string {
  const query = new URLSearchParams({ return_to: '/auth/success', again_as: id });
  return `/auth/${provider === 'oidc' ? 'oidc' : 'google'}?${query}`;
}
