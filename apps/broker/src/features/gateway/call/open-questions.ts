/** The reason for ending a call that waited for an answer when the gateway stopped. */
export const stopped = new Error('The gateway was restarted while the call waited for an answer');

/**
 * Calls that wait for a user's answer. A stop ends them first: an answer may never come, and the stop would wait for it as
 * long as for a call that works.
 */
export type OpenQuestions = {
  /**
   * Adds a call that waits.
   * @param end ends it with the reason `stopped`; called immediately while the gateway stops
   * @returns a function to call when it no longer waits
   */
  enter(end: () => void): () => void;
  /** Ends the waiting calls, and every call that is added from now on. */
  endAll(): void;
};

export function createOpenQuestions(): OpenQuestions {
  const open = new Set<() => void>();
  let isStopping = false;
  return {
    enter(end) {
      if (isStopping) end();
      else open.add(end);
      return () => void open.delete(end);
    },
    endAll() {
      isStopping = true;
      for (const end of open) end();
      open.clear();
    },
  };
}
