/** The reason for ending a call that waited for an answer when the gateway stopped. */
export const stopped = new Error('The gateway was restarted while the call waited for an answer');

export type OpenQuestions = ReturnType<typeof createOpenQuestions>;

/** Calls that wait for a user's answer. A stop ends them first, because an answer may never come. */
export function createOpenQuestions() {
  const open = new Set<() => void>();
  let isStopping = false;
  return {
    /**
     * Adds a call that waits.
     * @param end ends it with the reason `stopped`; called immediately while the gateway stops
     * @returns a function to call when it no longer waits
     */
    enter(end: () => void): () => void {
      if (isStopping) end();
      else open.add(end);
      return () => void open.delete(end);
    },
    /** Ends the waiting calls, and every call that is added from now on. */
    endAll(): void {
      isStopping = true;
      for (const end of open) end();
      open.clear();
    },
  };
}
