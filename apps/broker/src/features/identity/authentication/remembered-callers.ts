import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import { createSharedReads } from '#platform/work/shared-reads.ts';
import type { Revocations } from '../revocations.ts';

/**
 * A token that was good is taken for good this long without asking the database: a revocation is told to every replica
 * and forgets it at once, so this only bounds what a lost notice could cost.
 */
const trustMs = 5_000;
const maxCallers = 10_000;

export type RememberedCallers<Refusal> = {
  /** The caller of this token at this resource, if the token was good a moment ago. */
  find(authorization: string, resource: string): Caller | undefined;
  /** The same, or else what `verify` says: asked once for all requests that come with this token at the same time. */
  findOrVerify(
    authorization: string,
    resource: string,
    verify: () => Promise<{ caller: Caller } | Refusal>,
  ): Promise<{ caller: Caller } | Refusal>;
  stop(): void;
};

/** Callers of the MCP endpoints, where every call would otherwise wait for one more query (performance.md, point 3). */
export function rememberCallers<Refusal extends object>(
  revocations: Pick<Revocations, 'subscribe'>,
  clock: Clock,
): RememberedCallers<Refusal> {
  const time = elapsedTime(clock);
  const callers = new Map<string, { caller: Caller; untilMs: number }>();
  const verifications = createSharedReads<{ caller: Caller } | Refusal>();

  const unsubscribe = revocations.subscribe(({ tokenId }) => {
    // of a token that is being verified the id is not known yet
    verifications.forget(undefined);
    if (tokenId === undefined) callers.clear();
    else for (const [key, { caller }] of callers) if (caller.tokenId === tokenId) callers.delete(key);
  });

  // As it came, not hashed: this is memory alone, and each request brings the token into it anyway.
  const keyOf = (authorization: string, resource: string) => `${resource}\n${authorization}`;

  function find(key: string): Caller | undefined {
    const known = callers.get(key);
    if (known && known.untilMs > time.now()) return known.caller;
    callers.delete(key);
    return undefined;
  }

  function keep(key: string, caller: Caller): void {
    if (callers.size >= maxCallers) callers.clear();
    callers.set(key, { caller, untilMs: time.now() + Math.min(trustMs, caller.expiresAtMs - clock.now()) });
  }

  return {
    find: (authorization, resource) => find(keyOf(authorization, resource)),
    async findOrVerify(authorization, resource, verify) {
      const key = keyOf(authorization, resource);
      const caller = find(key);
      if (caller) return { caller };
      return verifications.join(key, verify, (verified, isCurrent) => {
        if (isCurrent && 'caller' in verified) keep(key, verified.caller);
      });
    },
    stop: unsubscribe,
  };
}
