import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import type { LiveBrokers } from '#platform/db/share-of.ts';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { createRequestsUnderWay } from './requests-under-way.ts';

/** Hosted clients share addresses: what succeeds never counts. */
const failuresPerMinute = 60;

/** Answers a request of an address with too many failures. */
type Refuse = (request: FastifyRequest, reply: FastifyReply, retryAfterSeconds: number) => unknown;

/** How many requests of an address may fail in a minute; for each such limit one of these. */
export type FailureLimit = {
  /** @param underWay requests of the address that are not answered yet: once one has failed, each of them may fail too */
  secondsToWait(address: string, underWay?: number): number;
  count(address: string): void;
};

export function createFailureLimit(clock: Clock, brokers: Pick<LiveBrokers, 'count'>): FailureLimit {
  const failures = createRateLimit(failuresPerMinute, clock, undefined, brokers);
  return {
    secondsToWait(address, underWay = 0) {
      const from = addressGroup(address);
      const hasFailed = failures.waitMs(from, failuresPerMinute) > 0;
      return hasFailed ? Math.ceil(failures.waitMs(from, underWay + 1) / 1000) : 0;
    },
    count: (address) => void failures.take(addressGroup(address)),
  };
}

/**
 * Limits the requests of one address that fail (security.md, Bad inputs). The hooks share one limit. As onRequest hooks
 * they come before the body is read and any parameter means anything.
 */
export function limitFailures(
  clock: Clock,
  brokers: Pick<LiveBrokers, 'count'>,
): (refuse: Refuse) => onRequestAsyncHookHandler {
  const failures = createFailureLimit(clock, brokers);
  const underWay = createRequestsUnderWay();
  return (refuse) => async (request, reply) => {
    const { ip } = request;
    const from = addressGroup(ip);
    const others = underWay.of(from);
    const waitSeconds = failures.secondsToWait(ip, others);
    if (waitSeconds > 0) return refuse(request, reply, waitSeconds);
    underWay.add(from, reply);
    reply.raw.once('close', () => {
      const { statusCode, writableFinished } = reply.raw;
      // a client that hangs up before its answer has failed too: otherwise it would never be counted
      if (!writableFinished || (statusCode >= 400 && statusCode < 500)) failures.count(ip);
    });
    return undefined;
  };
}
