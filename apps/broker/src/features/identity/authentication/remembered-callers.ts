import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Revocations } from '../revocations.ts';

/**
 * A token that was good is taken for good this long without asking the database: a revocation is told to every replica
 * and forgets it at once, so this only bounds what a lost notice could cost.
 */
const trustMs = 5_000;
const maxCallers = 10_000;

export type RememberedCallers = {
  /** The caller of this token at this resource, if known; else `keep` to be called with what the database says. */
  find(authorization: string, resource: string): { caller: Caller } | { keep(caller: Caller): void };
  stop(): void;
};

/** Callers of the MCP endpoints, where every call would otherwise wait for one more query (performance.md, point 3). */
export function rememberCallers(revocations: Pick<Revocations, 'subscribe'>, clock: Clock): RememberedCallers {
  const time = elapsedTime(clock);
  const callers = new Map<string, { caller: Caller; untilMs: number }>();
  // Counts revocations: an answer that was read before one of them must not be kept after it.
  let epoch = 0;

  const unsubscribe = revocations.subscribe(({ tokenId }) => {
    epoch++;
    if (tokenId === undefined) callers.clear();
    else for (const [key, { caller }] of callers) if (caller.tokenId === tokenId) callers.delete(key);
  });

  return {
    find(authorization, resource) {
      // As it came, not hashed: this is memory alone, and each request brings the token into it anyway.
      const key = `${resource}\n${authorization}`;
      const known = callers.get(key);
      if (known && known.untilMs > time.now()) return { caller: known.caller };
      callers.delete(key);
      const begun = epoch;
      return {
        keep(caller) {
          if (epoch !== begun) return;
          if (callers.size >= maxCallers) callers.clear();
          callers.set(key, { caller, untilMs: time.now() + Math.min(trustMs, caller.expiresAtMs - clock.now()) });
        },
      };
    },
    stop: unsubscribe,
  };
}
