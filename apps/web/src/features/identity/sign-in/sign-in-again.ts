import { openOwnSignIn, signInTimeoutMs } from '#web/navigation/popup-window.ts';
import { onSignedIn } from '#web/navigation/sign-in-window.ts';
import { waitForSession } from './popup-sign-in.ts';
import type { Session } from '../session/session.ts';
import { returnPathKey } from '../session/session-storage.ts';
import type { SignedInUser } from '../session/signed-in-user.ts';

/** Stops waiting for the previous window. */
let stopWaiting = () => {};

/**
 * Signs the user in again in a popup window, while this page stays: for actions that need a recent sign-in. Call it in
 * the click itself. The broker asks the provider again and accepts only this user; a sign-in of another account is
 * refused in the window and changes nothing.
 * @param onLate called if the user signs in after this has returned false, because the window was cut off from the page
 * @returns false if the window was closed without a sign-in
 * @throws PopupBlockedError, and after a timeout Error with the text of spec part 1, section 8
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
  if (end !== 'closed' && !isRenewed()) await waitForSession(session, isRenewed);
  if (isRenewed()) return true;
  listenForLate(begunAtMs + signInTimeoutMs - Date.now(), () => {
    session.noticeStorage(null);
    if (!isRenewed()) return false;
    onLate();
    return true;
  });
  return false;
}

/** Listens for sign-ins in windows until `accept` accepts one, or the time is over. */
function listenForLate(leftMs: number, accept: () => boolean): void {
  const stop = () => {
    clearTimeout(timer);
    stopListening();
  };
  const timer = setTimeout(stop, leftMs);
  const stopListening = onSignedIn(() => accept() && stop());
  stopWaiting = stop;
}

/** Signs in again in this tab, which comes back to the same address. Never returns. */
export function signInAgainInTab(session: Session): Promise<never> {
  const { user } = session.getState();
  window.sessionStorage.setItem(returnPathKey, window.location.pathname + window.location.search);
  window.location.assign(user ? addressFor(user) : '/sign-in');
  return new Promise<never>(() => {});
}

/** The stand-in uses Google's address. */
function addressFor({ id, provider }: SignedInUser): string {
  const query = new URLSearchParams({ return_to: '/auth/success', again_as: id });
  return `/auth/${provider === 'oidc' ? 'oidc' : 'google'}?${query}`;
}
