import { AsyncLocalStorage } from 'node:async_hooks';

/** The administrator whose call is being handled, and its network address. */
type Acting = { userId: string; address: string };

const acting = new AsyncLocalStorage<Acting>();

/** Runs the handler of an administrator's call, so that its audit rows contain the address. */
export function actAs<T>(who: Acting, work: () => T): T {
  return acting.run(who, work);
}

/** Returns the address of this administrator's current call; undefined for other users, commands, and rules of the broker. */
export function addressOfActor(actorId: string | undefined): string | undefined {
  const now = acting.getStore();
  return now !== undefined && now.userId === actorId ? now.address : undefined;
}
