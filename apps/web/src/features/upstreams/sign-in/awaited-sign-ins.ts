import { z } from 'zod';

const key = 'souk.connect.awaited';
const mostAtOnce = 20;

const awaitedSchema = z.object({
  /** Names the sign-in: its end carries the same one. */
  state: z.string(),
  userId: z.string(),
  serverId: z.string(),
  /** The sign-in is part of switching the server on. */
  enables: z.boolean(),
  /** Since when the account was connected before: another moment means that it worked. */
  since: z.string().nullable(),
  /** By then it is too late. */
  untilMs: z.number(),
});
/** A sign-in at a server that this tab has opened a window for. */
export type AwaitedSignIn = z.infer<typeof awaitedSchema>;

/** As long as the tab: a page that is loaded again knows what it waits for. */
let awaited: readonly AwaitedSignIn[] = read();
const listeners = new Set<() => void>();

/** In place of an earlier one of the same person at the same server. */
export function rememberAwaited(signIn: AwaitedSignIn): void {
  const others = awaited.filter(({ userId, serverId }) => userId !== signIn.userId || serverId !== signIn.serverId);
  write([...others, signIn].slice(-mostAtOnce));
}

export function forgetAwaited(state: string): void {
  write(awaited.filter((one) => one.state !== state));
}

export function findAwaited(wanted: Pick<AwaitedSignIn, 'userId' | 'serverId' | 'enables'>): AwaitedSignIn | undefined {
  return awaited.find(
    ({ userId, serverId, enables }) =>
      userId === wanted.userId && serverId === wanted.serverId && enables === wanted.enables,
  );
}

/** @returns a function that stops listening */
export function onAwaitedChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function write(next: readonly AwaitedSignIn[]): void {
  awaited = next;
  try {
    window.sessionStorage.setItem(key, JSON.stringify(next));
  } catch {
    // storage is forbidden: a page that is loaded again learns from the broker alone
  }
  for (const listener of listeners) listener();
}

function read(): readonly AwaitedSignIn[] {
  try {
    const stored = z.array(awaitedSchema).safeParse(JSON.parse(window.sessionStorage.getItem(key) ?? '[]'));
    return (stored.data ?? []).filter(({ untilMs }) => untilMs > Date.now());
  } catch {
    return [];
  }
}
