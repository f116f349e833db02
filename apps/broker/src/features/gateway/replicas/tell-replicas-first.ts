import type { ListChanges } from '../view/list-changes.ts';

/** Within this time the other processes know of a change. */
const learnMs = 250;

/**
 * Tells clients of changed lists a moment later. A client that is told at once could read its lists at a process that does not
 * know of the change yet, and would not be told again: its stream may be here.
 */
export function tellReplicasFirst(tellClients: (changes: ListChanges | undefined) => void) {
  const timers = new Set<NodeJS.Timeout>();
  return {
    /** @param changes undefined: everyone's lists may have changed */
    listsChanged(changes?: ListChanges): void {
      const timer = setTimeout(() => {
        timers.delete(timer);
        tellClients(changes);
      }, learnMs);
      timers.add(timer);
    },
    stop(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
