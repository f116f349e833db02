import type { ListChanges } from '../view/list-changes.ts';

/** How long the other processes may take to receive a change. */
const learnMs = 250;

/**
 * Delays notices of changed lists. A client that is notified immediately could read its lists from a process that does not
 * know of the change yet, and would not be notified again: its stream may be here.
 */
export function notifyReplicasFirst(notifyClients: (changes: ListChanges | undefined) => void) {
  const timers = new Set<NodeJS.Timeout>();
  return {
    /** @param changes undefined: the lists of all users may have changed */
    listsChanged(changes?: ListChanges): void {
      const timer = setTimeout(() => {
        timers.delete(timer);
        notifyClients(changes);
      }, learnMs);
      timers.add(timer);
    },
    stop(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
