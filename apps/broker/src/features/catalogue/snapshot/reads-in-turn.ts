import { Backoff } from '#platform/work/backoff.ts';

/** Servers per read, so that other work can use the database and the event loop in between. */
const perTurn = 50;

/** Reads changed servers, one read at a time: a few immediately, all servers (maybe thousands) in several reads. */
export type ReadsInTurn = {
  /**
   * Reads these servers; without ids, all. Resolves when their state as of the call was read. A few servers do not wait
   * until all are read.
   * @throws the error of a read; all servers are then re-read a moment later
   */
  read(serverIds: readonly string[]): Promise<void>;
  /** Resolves when no read is running. Never rejects. */
  stop(): Promise<void>;
};

/** Servers to read, for all callers that requested them before the read began. */
type Request = { ids: Set<string>; done: PromiseWithResolvers<void> };

/**
 * @param parts.idsOfAll every server that is stored or known
 * @param parts.read reads these servers and publishes them; never called concurrently
 * @param parts.failed receives errors that no caller sees
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

  /** Never rejects: the caller gets the error. */
  async function answer({ done }: Request, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      done.resolve();
    } catch (error) {
      // this process does not know which servers changed until they are read
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
