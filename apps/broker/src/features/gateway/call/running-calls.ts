import type { CallerSignal } from '#adapters/mcp/upstream.ts';
import { Cancellation } from '#platform/cancellation.ts';

/** The reason for ending the calls of a user whose account was deactivated. Not the client's choice, so it costs nothing. */
export const shutOut = new Error('The account has been deactivated');

export type RunningCalls = ReturnType<typeof createRunningCalls>;

/** How long a shut-out user is remembered, for requests that were let in just before: no request takes longer to arrive. */
const rememberedMs = 60_000;
const maxRemembered = 10_000;

/** The running calls of this process, so that those of a deactivated user can be ended. */
export function createRunningCalls() {
  const running = new Map<string, Set<() => void>>();
  const out = new Map<string, NodeJS.Timeout>();

  function enter(userId: string, end: () => void): () => void {
    let calls = running.get(userId);
    if (!calls) running.set(userId, (calls = new Set()));
    const own = calls;
    own.add(end);
    return () => {
      own.delete(end);
      if (own.size === 0 && running.get(userId) === own) running.delete(userId);
    };
  }

  function letIn(userId: string): void {
    clearTimeout(out.get(userId));
    out.delete(userId);
  }

  return {
    /**
     * Adds a call. Ends it immediately if its user was shut out while it arrived.
     * @returns the signal that it must follow, and what to call when it has ended
     */
    begin(userId: string, signal: CallerSignal): { signal: CallerSignal; leave(): void } {
      if (signal instanceof Cancellation) {
        const end = () => signal.abort(shutOut);
        if (out.has(userId)) end();
        return { signal, leave: enter(userId, end) };
      }
      const controller = new AbortController();
      const end = () => controller.abort(shutOut);
      if (out.has(userId)) end();
      return { signal: AbortSignal.any([signal, controller.signal]), leave: enter(userId, end) };
    },
    /** Ends the calls of a user, until they are let in again. */
    shutOut(userId: string): void {
      letIn(userId);
      const [oldest] = out.size >= maxRemembered ? out.keys() : [];
      if (oldest !== undefined) letIn(oldest);
      out.set(userId, setTimeout(() => out.delete(userId), rememberedMs).unref());
      for (const end of running.get(userId) ?? []) end();
    },
    letIn,
    users: () => [...running.keys()],
  };
}
