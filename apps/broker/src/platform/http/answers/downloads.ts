import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { SoukError } from '../../errors.ts';

/** Files that one person may be sent at once. */
const mostOfPerson = 2;
/** Pieces of all files that are made at once: each takes a connection of the database, which calls need too. */
const mostPieces = 2;
const retryAfterSeconds = 5;

/**
 * Files that are made while they are sent: as fast as the client reads, and piece by piece, so that others have their turns
 * between two pieces.
 */
export type Downloads = {
  /**
   * Answers with a file of one person that is saved, and stored nowhere on its way.
   * @param file.name such as calls.csv
   * @param file.pieces the first of them is made before anything is sent, so that a failure is answered as of any other call
   * @returns what the handler of the route returns
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
        // one piece ahead of what the client has read
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

/** Does so many things at once, the others in the order in which they came; between two of them the event loop has a turn. */
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
      // the place is handed on
      const next = waiting.shift();
      if (next) next();
      else atWork--;
    }
  };
}
