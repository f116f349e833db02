/** The end of a sign-in at a server, as the callback page reports it to the pages of this origin. */
export type SignInEnd = { state: string; ok: boolean; message: string };

/** Name of the channel, which reaches an opener even if another site has cut it off from its popup. */
const channelName = 'souk-connect';

export function announceSignInEnd(end: SignInEnd): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches this origin alone
  channel.postMessage(end);
  channel.close();
}

/** @returns a function that stops listening */
export function onSignInEnd(listener: (end: SignInEnd) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<SignInEnd>) => listener(data));
  return () => channel.close();
}
