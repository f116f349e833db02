import { Worker } from 'node:worker_threads';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';

/** A result and its schema as JSON. `members` has no braces. */
export type Comparison = { schema: string; members: string };
export type Verdict = { fits: boolean } | { fits: undefined; reason: string };
/** `isSlow`: the worker gave no verdict. */
type Compared = Verdict & { isSlow?: boolean };

export type ResultValidator = ReturnType<typeof createResultValidator>;

const comparisonMs = 1000;
const startMs = 10_000;
const maxWaiting = 64;
/**
 * How long an invalid schema is skipped. After a comparison that took too long, all schemas of its server are skipped: it
 * delays the comparisons of other servers.
 */
const pauseMs = 60_000;
const maxPaused = 1000;
/** A result may have 8 MiB of text, and takes more memory once it is parsed. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

/** Compares results sequentially in a worker of its own, which starts with the first result. */
export function createResultValidator({ clock, log }: { clock: Clock; log: Log }) {
  const texts = new WeakMap<object, string>();
  /** End of the pause, by the text of a schema or the id of a server. */
  const paused = new Map<string, number>();
  let worker: Promise<Worker> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isStopped = false;

  function textOf(schema: object): string {
    let text = texts.get(schema);
    if (text === undefined) texts.set(schema, (text = JSON.stringify(schema)));
    return text;
  }

  async function compare(comparison: Comparison): Promise<Compared> {
    const starting = (worker ??= startWorker(() => (worker = undefined)));
    try {
      return await ask(await starting, comparison);
    } catch (error) {
      await starting.then((one) => one.terminate()).catch(() => (worker = undefined));
      return { fits: undefined, isSlow: true, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  const isPaused = (what: string) => (paused.get(what) ?? 0) > clock.now();

  function pause(what: string): void {
    const [oldest] = paused.size >= maxPaused ? paused.keys() : [];
    if (oldest !== undefined) paused.delete(oldest);
    paused.set(what, clock.now() + pauseMs);
  }

  return {
    /**
     * Whether the structuredContent of a result fits the outputSchema of its tool. Undefined if that is unknown: the schema is
     * invalid, the comparison takes too long, or too many are waiting.
     * @param of names the tool in the log
     * @param definition the schema, never changed in place
     * @param members of the result, as JSON text without braces
     */
    async fits(
      of: { server: string; tool: string },
      definition: Readonly<Record<string, unknown>>,
      members: string,
    ): Promise<boolean | undefined> {
      const schema = textOf(definition);
      const isSkipped = () => isStopped || isPaused(schema) || isPaused(of.server);
      if (waiting >= maxWaiting || isSkipped()) return undefined;
      waiting++;
      const compared = last.then(() => (isSkipped() ? undefined : compare({ schema, members })));
      last = compared;
      const verdict = await compared;
      waiting--;
      if (!verdict || verdict.fits !== undefined || isStopped) return verdict?.fits;
      pause(verdict.isSlow ? of.server : schema);
      log.warn(
        { ...of, reason: verdict.reason },
        'a result could not be compared with its outputSchema: it is passed on',
      );
      return undefined;
    },
    async stop(): Promise<void> {
      isStopped = true;
      await worker?.then((one) => one.terminate()).catch(() => {});
    },
  };
}

async function startWorker(onEnd: () => void): Promise<Worker> {
  const worker = new Worker(new URL('./validation-worker.ts', import.meta.url), { resourceLimits, execArgv: [] });
  // the process need not wait for the worker to end; answerOf reports its errors
  worker
    .once('exit', onEnd)
    .on('error', () => {})
    .unref();
  try {
    await answerOf(worker, startMs);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return worker;
}

async function ask(worker: Worker, comparison: Comparison): Promise<Verdict> {
  const answer = answerOf(worker, comparisonMs);
  // no object is transferred
  worker.postMessage(comparison, []);
  // why the cast: the worker answers a comparison with nothing else
  return (await answer) as Verdict;
}

/** The next message of a worker. @throws Error if none comes in time, or the worker ends */
function answerOf(worker: Worker, withinMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const tooLong = () => end(() => reject(new Error(`it takes more than ${withinMs} ms`)));
    // if this thread was busy, the answer may have arrived meanwhile
    const timer = setTimeout(() => setImmediate(tooLong), withinMs);
    const onMessage = (message: unknown) => end(() => resolve(message));
    const onError = (error: unknown) => end(() => reject(error));
    const onExit = () => end(() => reject(new Error('its worker has ended')));
    function end(then: () => void): void {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      then();
    }
    worker.once('message', onMessage).once('error', onError).once('exit', onExit);
  });
}
