export function createRunListeners() {
  const listeners = new Map<string, Set<() => void>>();
  return {
    /**
     * Calls the listener when the run may have changed, and when this broker stops. Returns a function that removes it.
     */
    add(runId: string, listener: () => void): () => void {
      const own = listeners.get(runId) ?? new Set();
      listeners.set(runId, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0) listeners.delete(runId);
      };
    },
    /** @param runId undefined: any run may have changed */
    call(runId: string | undefined): void {
      const called = runId === undefined ? [...listeners.values()] : [listeners.get(runId) ?? []];
      for (const listener of called.flatMap((each) => [...each])) listener();
    },
  };
}
