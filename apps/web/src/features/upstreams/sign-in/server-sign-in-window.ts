import { openSignInPopup, PopupBlockedError, signInTimeoutMs, type SignInPopup } from '#web/navigation/popup-window.ts';
import { onSignInEnd, type SignInEnd } from './sign-in-end.ts';
import { forgetAwaited, rememberAwaited, type AwaitedSignIn } from './awaited-sign-ins.ts';

/** Opens the window of a sign-in at a server. Call it in the click itself. Undefined if the browser blocks windows. */
export function openServerSignIn(): SignInPopup | undefined {
  try {
    return openSignInPopup('server');
  } catch (error) {
    if (error instanceof PopupBlockedError) return undefined;
    throw error;
  }
}

/**
 * Sends an open window to the sign-in at a server and waits for its end. A closed window stays awaited, since it may
 * only be cut off from this page (use-awaited-sign-in.ts).
 * @returns whether it worked; false if the window was closed
 * @throws Error with the reason
 */
export async function signInAtServer(
  popup: SignInPopup,
  authUrl: string,
  what: Omit<AwaitedSignIn, 'state' | 'untilMs'>,
): Promise<boolean> {
  const stop = new AbortController();
  let reported: SignInEnd | undefined;
  const state = URL.parse(authUrl)?.searchParams.get('state') ?? '';
  const stopListening = onSignInEnd((end) => {
    if (end.state !== state) return; // for another tab
    reported = end;
    stop.abort();
  });
  let isLost = false;
  rememberAwaited({ ...what, state, untilMs: Date.now() + signInTimeoutMs });
  try {
    popup.goTo(authUrl, state);
    await popup.wait({ signal: stop.signal });
    isLost = reported === undefined;
    if (reported && !reported.ok) throw new Error(reported.message);
    return !isLost;
  } finally {
    stopListening();
    if (!isLost) forgetAwaited(state);
  }
}
