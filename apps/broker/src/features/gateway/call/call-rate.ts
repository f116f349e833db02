import type { Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import { createRateLimit } from '#platform/rate-limit.ts';

/** Limits the calls per minute of each token and each user. */
export type CallRate = {
  /** Counts one call and returns 0. Over the limit, counts nothing and returns the milliseconds to wait. */
  take(caller: Caller): number;
};

export function createCallRate(
  limits: { callsPerMinuteToken: number; callsPerMinuteUser: number },
  clock: Clock,
): CallRate {
  const perToken = createRateLimit(limits.callsPerMinuteToken, clock);
  const perUser = createRateLimit(limits.callsPerMinuteUser, clock);
  return {
    take({ tokenId, userId }) {
      const waitMs = Math.max(perToken.waitMs(tokenId), perUser.waitMs(userId));
      if (waitMs > 0) return waitMs;
      // count both or neither: calls over the user's limit must not use up the token's allowance
      perToken.take(tokenId);
      perUser.take(userId);
      return 0;
    },
  };
}
