import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { SoukError } from '../../errors.ts';

/** Concurrent files of one user. */
const mostOfPerson = 2;
/** Concurrent pieces of all files. Each takes a database connection, which calls need too. */
const mostPieces = 2;
const retryAfterSeconds = 5;

/** Files that are made while they are sent, as fast as the client reads, piece by piece to let other work run in between. */
export type Downloads = {
  /**
   * Answers with a file for one user to save, which no cache stores.
   * @param file.name such as calls.csv
   * @param file.pieces the first one is made before anything is sent, so that its failure is answered like any other
   * @returns the result for the route's handler
   * @throws SoukError too_many_downloads
   */
  send(reply: FastifyReply, userId: string, file: { name: string; type: string; pieces: Pieces }): Promise<Readable>;
};

type Pieces = AsyncGenerator<string, void>;

export function createDownloads(): Downloads {
  const people = new Map<string, number>();
  const turns = createTurns(mostPieces);

  function leave(userId: string): void {
    const left = (people.get(userId) ?? 1) - 1;
    if (left > 0) people.set(userId, left);
    else people.delete(userId);
  }

  const makeNext = (pieces: Pieces) => turns(() => pieces.next());

  async function* rest(first: IteratorResult<string, void>, pieces: Pieces): Pieces {
    for (let piece = first; piece.done !== true; piece = await makeNext(pieces)) yield piece.value;
  }

  return {
    async send(reply, userId, { name, type, pieces }) {
      const others = people.get(userId) ?? 0;
      if (others >= mostOfPerson) throw new SoukError('too_many_downloads', { retryAfterSeconds });
      people.set(userId, others + 1);
      try {
        const first = await makeNext(pieces);
        // one piece ahead of the client
        const stream = Readable.from(rest(first, pieces), { highWaterMark: 1 });
        stream.once('close', () => {
          leave(userId);
          void pieces.return();
        });
        reply.type(type).header('content-disposition', `attachment; filename="${name}"`);
        reply.header('cache-control', 'no-store');
        return stream;
      } catch (error) {
        leave(userId);
        throw error;
      }
    },
  };
}

/** Runs at most `most` pieces of work concurrently and queues the others; the event loop has a turn between two of them. */
function createTurns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let atWork = 0;
  return async (work) => {
    if (atWork < most) atWork++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      await nextTurn();
      // hands its place to the next
      const next = waiting.shift();
      if (next) next();
      else atWork--;
    }
  };
}
