import type { FastifyReply } from 'fastify';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../caller.ts';
import { endWithToken } from '../end-with-token.ts';
import { openEventStream, type EventStream } from './event-stream.ts';

/** Event streams of the administration, each of which ends with the token that opened it. */
export type PersonStreams = {
  open(reply: FastifyReply, caller: Caller): EventStream;
  countOf(userId: string): number;
};

/** @param onRevoked calls back with the revoked token; undefined: any token may be revoked */
export function createPersonStreams(
  onRevoked: (listener: (revoked: { tokenId: string | undefined }) => void) => unknown,
  clock: Clock,
): PersonStreams {
  const open = new Map<EventStream, Caller>();
  onRevoked(({ tokenId }) => {
    for (const [stream, caller] of open) {
      if (tokenId === undefined || caller.tokenId === tokenId) stream.response.destroy();
    }
  });
  return {
    open(reply, caller) {
      const stream = openEventStream(reply);
      open.set(stream, caller);
      stream.onClose(() => open.delete(stream));
      endWithToken(stream.response, caller, clock);
      return stream;
    },
    countOf: (userId) => [...open.values()].filter((caller) => caller.userId === userId).length,
  };
}
