import { openSignInPopup, PopupBlockedError, type SignInPopup } from '#web/popup-window.ts';

/** What the callback page tells the pages of this origin: how one sign-in at a server ended. */
export type SignInEnd = { state: string; ok: boolean; message: string };

/** Reaches an opener even where another site on the way has cut it off from its popup. */
const channelName = 'souk-connect';

export function tellSignInEnd(end: SignInEnd): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches this origin alone
  channel.postMessage(end);
  channel.close();
}

/** @returns a function that stops listening */
function onSignInEnd(listener: (end: SignInEnd) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<SignInEnd>) => listener(data));
  return () => channel.close();
}

/** Opens the empty window of a sign-in at a server, in the click itself. Undefined where the browser blocks windows. */
export function openServerSignIn(): SignInPopup | undefined {
  try {
    return openSignInPopup();
  } catch (error) {
    if (error instanceof PopupBlockedError) return undefined;
    throw error;
  }
}

/**
 * Sends an open window to the sign-in at a server and waits for its end.
 * @returns whether it worked; false when the window was closed
 * @throws Error with the reason
 */
export async function signInAtServer(popup: SignInPopup, authUrl: string): Promise<boolean> {
  const stop = new AbortController();
  let told: SignInEnd | undefined;
  const state = URL.parse(authUrl)?.searchParams.get('state');
  const stopListening = onSignInEnd((end) => {
    if (end.state !== state) return; // another tab's
    told = end;
    stop.abort();
  });
  try {
    popup.goTo(authUrl);
    const end = await popup.wait({ isDone: () => false, signal: stop.signal });
    if (told && !told.ok) throw new Error(told.message);
    return told !== undefined || end === 'message';
  } finally {
    stopListening();
  }
}
