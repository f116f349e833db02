import { AsyncLocalStorage } from 'node:async_hooks';

/** The administrator whose call is being answered, and the network address that it came from. */
type Acting = { userId: string; address: string };

const acting = new AsyncLocalStorage<Acting>();

/** Runs the handler of an administrator's call: the audit rows of what they do in it name the address. */
export function actAs<T>(who: Acting, work: () => T): T {
  return acting.run(who, work);
}

/** The address of the call in which this person acts; undefined for another person, a command, and a rule of the broker. */
export function addressOfActor(actorId: string | undefined): string | undefined {
  const now = acting.getStore();
  return now !== undefined && now.userId === actorId ? now.address : undefined;
}
