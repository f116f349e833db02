import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import type { LiveBrokers } from '#platform/db/share-of.ts';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { createRequestsUnderWay } from './requests-under-way.ts';

/** Successful requests never count: hosted clients share addresses. */
const failuresPerMinute = 60;

type Refuse = (request: FastifyRequest, reply: FastifyReply, retryAfterSeconds: number) => unknown;

export function createFailureLimit(clock: Clock, brokers: Pick<LiveBrokers, 'count'>) {
  const failures = createRateLimit(failuresPerMinute, clock, undefined, brokers);
  return {
    /** @param underWay unanswered requests of the address: after the first failure, each of them may fail too */
    secondsToWait(address: string, underWay = 0): number {
      const from = addressGroup(address);
      const hasFailed = failures.waitMs(from, failuresPerMinute) > 0;
      return hasFailed ? Math.ceil(failures.waitMs(from, underWay + 1) / 1000) : 0;
    },
    count: (address: string) => void failures.take(addressGroup(address)),
  };
}

/**
 * Limits failing requests per address. The returned hooks share one limit. They are onRequest
 * hooks: they run before the body is read and parameters are parsed.
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
      // a client that hangs up before its answer counts as failed: otherwise it would never be counted
      if (!writableFinished || (statusCode >= 400 && statusCode < 500)) failures.count(ip);
    });
    return undefined;
  };
}
