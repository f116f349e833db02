import type { FastifyReply } from 'fastify';

/** Counts the requests of each address group that are not answered yet. */
export function createRequestsUnderWay() {
  const counts = new Map<string, number>();
  return {
    of: (group: string): number => counts.get(group) ?? 0,
    /** Counts a request until its answer was sent or its client hung up. */
    add(group: string, reply: FastifyReply): void {
      counts.set(group, (counts.get(group) ?? 0) + 1);
      reply.raw.once('close', () => {
        const left = (counts.get(group) ?? 1) - 1;
        if (left > 0) counts.set(group, left);
        else counts.delete(group);
      });
    },
  };
}
