import { z } from 'zod';

const key = 'souk.connect.awaited';
const maxAwaited = 20;

const awaitedSchema = z.object({
  /** Identifies the sign-in, also in the report of its end. */
  state: z.string(),
  userId: z.string(),
  serverId: z.string(),
  /** The sign-in is part of switching the server on. */
  enables: z.boolean(),
  /** The time when the account was last connected. A different time means that the sign-in worked. */
  since: z.string().nullable(),
  untilMs: z.number(),
});
/** A sign-in at a server for which this tab has opened a window. */
export type AwaitedSignIn = z.infer<typeof awaitedSchema>;

/** Lives as long as the tab: a reloaded page still knows what it waits for. */
let awaited: readonly AwaitedSignIn[] = read();
const listeners = new Set<() => void>();

/** Replaces an earlier sign-in of the same user at the same server. */
export function rememberAwaited(signIn: AwaitedSignIn): void {
  const others = awaited.filter(({ userId, serverId }) => userId !== signIn.userId || serverId !== signIn.serverId);
  write([...others, signIn].slice(-maxAwaited));
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
    // storage is forbidden: a reloaded page learns of the end from the broker only
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
