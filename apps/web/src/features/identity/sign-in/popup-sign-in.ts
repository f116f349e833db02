import { openOwnSignIn } from '#web/navigation/popup-window.ts';
import type { Session } from '../session/session.ts';
import type { SignedInUser } from '../session/signed-in-user.ts';

/** Time for the callback page in the window to finish and notify the other tabs. */
const finishMs = 5_000;

/**
 * Signs in in a popup window, while this page stays. Call it in the click itself. The window has its own proof and
 * state; the session arrives through storage, as from any other tab. If a provider's page cut the window off, it may
 * arrive long after this has returned null: the sign-in screen listens for it.
 * @returns the user, or null if the window was closed without a sign-in
 * @throws PopupBlockedError, and after a timeout Error with the text of spec part 1, section 8
 */
export async function signInByPopup(session: Session): Promise<SignedInUser | null> {
  const end = await openOwnSignIn('/sign-in?return_to=/').wait({ isDone: isReturn });
  // storage events may be lost with the window
  session.noticeStorage(null);
  if (end === 'address') await waitForSession(session, () => session.getState().user !== undefined);
  return session.getState().user ?? null;
}

const isReturn = ({ pathname }: URL) => pathname === '/auth/success' || pathname === '/auth/callback';

/** Waits until a change of the session meets the condition, for 5 seconds at most. */
export function waitForSession(session: Session, isMet: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    let unsubscribe = () => {};
    const finish = () => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(finish, finishMs);
    // subscribe calls the listener before it returns
    unsubscribe = session.subscribe(() => isMet() && queueMicrotask(finish));
  });
}
