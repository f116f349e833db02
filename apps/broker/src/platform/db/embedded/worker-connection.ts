import { Worker } from 'node:worker_threads';
import { DatabaseLostError, StatementError } from '../database-errors.ts';
import { errorOf, messageOf } from '../../thrown.ts';
import type { DiskSpace } from './disk-space-guard.ts';
import type { Reply, Request, StatementResult, WorkerOptions } from './embedded-protocol.ts';

type Waiting = { resolve(reply: Reply): void; reject(error: Error): void };
type WithoutId<R> = R extends Request ? Omit<R, 'id'> : never;

/** The only connection of the embedded database. Requests are answered in the order in which they were sent. */
export type WorkerConnection = {
  run(text: string, values: readonly unknown[]): Promise<StatementResult>;
  fsyncCount(): Promise<number>;
  /** Shuts PostgreSQL down and ends the worker. */
  close(): Promise<void>;
};

/** Starts a worker with PGlite on a folder. @throws DatabaseLostError with PostgreSQL's last output if it does not start */
export async function startWorker(
  options: WorkerOptions,
  onNotification: (channel: string, payload: string) => void = () => {},
  onSpace: (space: DiskSpace) => void = () => {},
): Promise<WorkerConnection> {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: options, execArgv: [] });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let lost: DatabaseLostError | undefined;
  const ready = Promise.withResolvers<void>();

  const lose = (message: string) => {
    lost ??= new DatabaseLostError(`The embedded database has stopped: ${message}`);
    ready.reject(lost);
    for (const { reject } of waiting.values()) reject(lost);
    waiting.clear();
  };
  worker.on('error', (error) => lose(messageOf(error)));
  worker.on('exit', () => lose('its worker has ended'));
  worker.on('message', (reply: Reply) => {
    if (reply.kind === 'ready') ready.resolve();
    else if (reply.kind === 'fatal') lose(reply.message);
    else if (reply.kind === 'notification') onNotification(reply.channel, reply.payload);
    else if (reply.kind === 'space') onSpace(reply.space);
    else {
      const entry = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (reply.kind === 'refused') entry?.reject(new StatementError(reply.error));
      else entry?.resolve(reply);
    }
  });

  const send = (request: WithoutId<Request>): Promise<Reply> =>
    new Promise((resolve, reject) => {
      if (lost) {
        reject(lost);
        return;
      }
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; this is a thread
        worker.postMessage({ ...request, id: lastId });
      } catch (error) {
        // a value cannot be cloned, such as a function: only this statement fails
        waiting.delete(lastId);
        reject(errorOf(error));
      }
    });

  try {
    await ready.promise;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    async run(text, values) {
      const reply = await send({ kind: 'query', text, values });
      if (reply.kind !== 'result') throw new Error(`the worker answered ${reply.kind} to a query`);
      return reply.result;
    },
    async fsyncCount() {
      const reply = await send({ kind: 'fsync-count' });
      return reply.kind === 'count' ? reply.count : 0;
    },
    async close() {
      if (!lost) await send({ kind: 'close' });
      await worker.terminate();
    },
  };
}
