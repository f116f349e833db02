import type { Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { LiveBrokers } from '#platform/db/share-of.ts';
import { createRateLimit } from '#platform/rate-limit.ts';

/** Lower bound of the wait: the bucket may refill after `take` refused, and 0 would mean that the call was counted. */
const shortestWaitMs = 1;

export type CallRate = ReturnType<typeof createCallRate>;

/** Limits the calls per minute of each token and each user. */
export function createCallRate(
  limits: { callsPerMinuteToken: number; callsPerMinuteUser: number },
  clock: Clock,
  brokers?: Pick<LiveBrokers, 'count'>,
) {
  const perToken = createRateLimit(limits.callsPerMinuteToken, clock, undefined, brokers);
  const perUser = createRateLimit(limits.callsPerMinuteUser, clock, undefined, brokers);
  return {
    /** Counts one call and returns 0. Over the limit, counts nothing and returns the milliseconds to wait. */
    take({ tokenId, userId }: Caller): number {
      // count both or neither: calls over the user's limit must not use up the token's allowance
      if (perToken.take(tokenId)) {
        if (perUser.take(userId)) return 0;
        perToken.undoTake(tokenId);
      }
      return Math.max(perToken.waitMs(tokenId), perUser.waitMs(userId), shortestWaitMs);
    },
  };
}
