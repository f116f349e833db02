import { Backoff } from '#platform/work/backoff.ts';

/** Servers that are read at a time: others use the database and the event loop before the next ones. */
const perTurn = 50;

/** Reads the servers that changed: a few at once, and all of them, which may be thousands, a few at a time. */
export type ReadsInTurn = {
  /**
   * Reads these servers, or all without any. Resolves when they were read as they are stored since the call. A few do not
   * wait for the end of a reading of all.
   * @throws what a read has thrown; all servers are then read again a moment later
   */
  read(serverIds: readonly string[]): Promise<void>;
  /** Resolves when nothing is being read any more. Never rejects. */
  stop(): Promise<void>;
};

/** Servers that are to be read, for all who asked before the first of them was. */
type Request = { ids: Set<string>; done: PromiseWithResolvers<void> };

/**
 * @param parts.idsOfAll every server that is stored or known
 * @param parts.read reads these servers and publishes them; once at a time
 * @param parts.failed is told of an error that no caller hears of
 */
export function createReadsInTurn(parts: {
  idsOfAll(): Promise<Iterable<string>>;
  read(ids: ReadonlySet<string>): Promise<void>;
  failed(error: unknown): void;
}): ReadsInTurn {
  let few: Request | undefined;
  let all: Request | undefined;
  let working: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isStopped = false;
  const backoff = new Backoff();

  async function readTurns(ids: Iterable<string>, between: () => Promise<void>): Promise<void> {
    const rest = [...ids];
    for (let from = 0; from < rest.length; from += perTurn) {
      await between();
      await parts.read(new Set(rest.slice(from, from + perTurn)));
    }
  }

  /** Never rejects: who asked hears of it. */
  async function answer({ done }: Request, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      done.resolve();
    } catch (error) {
      // what was not read is unknown to this process until it is
      if (!isStopped) retry ??= setTimeout(readMissed, backoff.next()).unref();
      done.reject(error);
    }
  }

  function readMissed(): void {
    retry = undefined;
    if (!isStopped) read([]).catch(parts.failed);
  }

  async function readFew(): Promise<void> {
    const request = few;
    few = undefined;
    if (request) await answer(request, () => readTurns(request.ids, async () => {}));
  }

  async function work(): Promise<void> {
    while (few ?? all) {
      await readFew();
      const request = all;
      all = undefined;
      if (request) await answer(request, async () => readTurns(await parts.idsOfAll(), readFew));
    }
    working = undefined;
  }

  function read(serverIds: readonly string[]): Promise<void> {
    const request: Request = (serverIds.length === 0 ? all : few) ?? { ids: new Set(), done: Promise.withResolvers() };
    if (serverIds.length === 0) all = request;
    else few = request;
    for (const id of serverIds) request.ids.add(id);
    working ??= work();
    return request.done.promise;
  }

  return {
    read,
    async stop() {
      isStopped = true;
      clearTimeout(retry);
      await working;
    },
  };
}
