/** Why a call was ended that waited for an answer when the gateway stopped. */
export const stopped = new Error('The gateway was restarted while the call waited for an answer');

/**
 * Calls that wait for someone's answer. A stop ends them at its beginning: an answer may never come, and the stop would
 * wait for it as long as for a call that works.
 */
export type OpenQuestions = {
  /**
   * A call begins to wait.
   * @param end ends it with the reason `stopped`; called at once while the gateway stops
   * @returns what to call when it waits no more
   */
  enter(end: () => void): () => void;
  /** Ends the calls that wait now, and those that would from now on. */
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
