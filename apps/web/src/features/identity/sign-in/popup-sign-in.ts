import { openOwnSignIn } from '#web/navigation/popup-window.ts';
import type { Session } from '../session/session.ts';
import type { SignedInUser } from '../session/signed-in-user.ts';

/** The callback page in the window gets this long to finish and to tell the other tabs. */
const finishMs = 5_000;

/**
 * Signs in in a window of its own, while this page stays as it is. Call it in the click itself.
 * The window keeps its own proof and state; the session arrives through storage, as from any other tab. Where a provider's page
 * cut the window off, that may be long after this has answered null: the sign-in screen hears of it.
 * @returns the user, or null when the window was closed without a sign-in
 * @throws PopupBlockedError, and Error with the text of spec part 1, section 8 when it takes too long
 */
export async function signInByPopup(session: Session): Promise<SignedInUser | null> {
  const end = await openOwnSignIn('/sign-in?return_to=/').wait({ isDone: isReturn });
  // storage events may be lost with the window
  session.noticeStorage(null);
  if (end === 'address') await untilTold(session, () => session.getState().user !== undefined);
  return session.getState().user ?? null;
}

const isReturn = ({ pathname }: URL) => pathname === '/auth/success' || pathname === '/auth/callback';

/** Waits until the session says so, as the page in the window tells it; 5 seconds at most. */
export function untilTold(session: Session, isTold: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    let unsubscribe = () => {};
    const finish = () => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(finish, finishMs);
    // the listener is told at once, before there is something to unsubscribe
    unsubscribe = session.subscribe(() => isTold() && queueMicrotask(finish));
  });
}
