/** Within this time the other processes know of a change. */
const learnMs = 250;

/**
 * Tells clients of changed lists a moment later. A client that is told at once could read its lists at a process that does not
 * know of the change yet, and would not be told again: its stream may be here.
 */
export function tellReplicasFirst(tellClients: (userId: string | undefined) => void) {
  const timers = new Set<NodeJS.Timeout>();
  return {
    /** @param userId whose lists have changed; undefined for everyone's */
    listsChanged(userId?: string): void {
      const timer = setTimeout(() => {
        timers.delete(timer);
        tellClients(userId);
      }, learnMs);
      timers.add(timer);
    },
    stop(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
