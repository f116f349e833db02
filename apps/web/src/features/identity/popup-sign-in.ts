import { openSignInPopup } from '#web/popup-window.ts';
import type { Session } from './session.ts';
import type { SignedInUser } from './signed-in-user.ts';

/** A callback page that was seen needs this long, at most, to finish and to tell the tabs. */
const finishMs = 5_000;

/**
 * Signs in in a window of its own: this page stays as it is. Call it straight from a click.
 * The popup keeps its own proof and state; the session comes over by storage, as from any other tab.
 * @returns the user, null when the window went without one
 * @throws Error with the texts of spec part 1, section 8 when it is blocked or takes too long
 */
export async function signInByPopup(session: Session): Promise<SignedInUser | null> {
  const end = await openSignInPopup({ url: '/sign-in?return_to=/', isDone: isReturn });
  if (end === 'address') await untilSignedIn(session);
  return session.getState().user ?? null;
}

const isReturn = ({ pathname }: URL) => pathname === '/auth/success' || pathname === '/auth/callback';

function untilSignedIn(session: Session): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, finishMs);
    const unsubscribe = session.subscribe((user) => {
      if (!user) return;
      clearTimeout(timer);
      resolve();
    });
    setTimeout(unsubscribe, finishMs);
  });
}
