import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import { createRequestsUnderWay } from './requests-under-way.ts';
import type { OpenInteractions } from './open-interactions.ts';

/** Limits the unfinished sign-ins per address, concurrent requests included. */
export function limitInteractions(
  interactions: Pick<OpenInteractions, 'secondsToWait'>,
  refuse: (request: FastifyRequest, reply: FastifyReply, retryAfterSeconds: number) => unknown,
): onRequestAsyncHookHandler {
  const underWay = createRequestsUnderWay();
  return async (request, reply) => {
    const from = addressGroup(request.ip);
    const others = underWay.of(from);
    underWay.add(from, reply);
    const waitSeconds = await interactions.secondsToWait(request.ip, others);
    return waitSeconds > 0 ? refuse(request, reply, waitSeconds) : undefined;
  };
}
