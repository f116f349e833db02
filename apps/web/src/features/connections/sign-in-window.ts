import { openSignInPopup } from '#web/popup-window.ts';

/** What the callback page tells the pages of this origin: how one sign-in at a server ended. */
export type SignInEnd = { state: string; ok: boolean; message: string };

/** Reaches an opener that other sites on the way have cut off from its popup, too. */
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

/**
 * Opens a sign-in at a server in a window of its own and waits for its end. Where windows are blocked this page goes
 * there itself, and does not come back to the caller.
 * @returns whether it worked; false when the window was closed
 * @throws Error with the reason
 */
export async function signInAtServer(authUrl: string): Promise<boolean> {
  const stop = new AbortController();
  let told: SignInEnd | undefined;
  const state = URL.parse(authUrl)?.searchParams.get('state');
  const stopListening = onSignInEnd((end) => {
    if (end.state !== state) return; // another tab's
    told = end;
    stop.abort();
  });
  try {
    const end = await openSignInPopup({ url: authUrl, isDone: () => false, signal: stop.signal });
    if (told && !told.ok) throw new Error(told.message);
    return told !== undefined || end === 'message';
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('Failed to open OAuth popup')) throw error;
    window.location.assign(authUrl);
    return new Promise(() => {});
  } finally {
    stopListening();
  }
}
