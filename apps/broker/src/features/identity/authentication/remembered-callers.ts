import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import { createSharedReads } from '#platform/work/shared-reads.ts';
import type { Revocations } from '../revocations.ts';

/**
 * Time that a verified token is trusted without asking the database. Every replica drops a revoked token at once, so
 * this only limits the effect of a lost notice.
 */
const trustMs = 5_000;
const maxCallers = 10_000;

export type RememberedCallers<Refusal> = {
  /** The caller of this token at this resource, if the token was verified a moment ago. */
  find(authorization: string, resource: string): Caller | undefined;
  /** Does the same, else calls `verify`, once for all concurrent requests with this token. */
  findOrVerify(
    authorization: string,
    resource: string,
    verify: () => Promise<{ caller: Caller } | Refusal>,
  ): Promise<{ caller: Caller } | Refusal>;
  stop(): void;
};

/** Remembers callers of MCP endpoints, which saves every call one more query. */
export function rememberCallers<Refusal extends object>(
  revocations: Pick<Revocations, 'subscribe'>,
  clock: Clock,
): RememberedCallers<Refusal> {
  const time = elapsedTime(clock);
  const callers = new Map<string, { caller: Caller; untilMs: number }>();
  const verifications = createSharedReads<{ caller: Caller } | Refusal>();

  const unsubscribe = revocations.subscribe(({ tokenId }) => {
    // the id of a token that is being verified is not known yet
    verifications.forget(undefined);
    if (tokenId === undefined) callers.clear();
    else for (const [key, { caller }] of callers) if (caller.tokenId === tokenId) callers.delete(key);
  });

  // The token as it was sent, unhashed: this stays in memory, and each request carries it anyway.
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
