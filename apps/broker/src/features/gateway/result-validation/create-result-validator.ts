import { Worker } from 'node:worker_threads';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';

/** A result with its schema, as JSON: `members` without the braces. */
export type Comparison = { schema: string; members: string };
export type Verdict = { fits: boolean } | { fits: undefined; reason: string };
/** `isSlow`: there was no verdict. */
type Compared = Verdict & { isSlow?: boolean };

export type ResultValidator = {
  /**
   * Whether the structuredContent of a result fits the outputSchema of its tool. Undefined where that cannot be told: the schema
   * is none, the comparison takes too long, or too many wait.
   * @param of what the log calls the tool
   * @param schema never changed in place
   * @param members of the result, as JSON text without the braces
   */
  fits(
    of: { server: string; tool: string },
    schema: Readonly<Record<string, unknown>>,
    members: string,
  ): Promise<boolean | undefined>;
  stop(): Promise<void>;
};

/** From when the worker has it. */
const comparisonMs = 1000;
const startMs = 10_000;
const maxWaiting = 64;
/**
 * A schema that is none is left alone for so long, and all of a server one of whose comparisons took too long: it takes the
 * time of the others.
 */
const pauseMs = 60_000;
const maxPaused = 1000;
/** A result may have 8 MiB of text, which is more once it is parsed. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

/** Compares results in a worker of its own, one after the other. It starts with the first of them. */
export function createResultValidator({ clock, log }: { clock: Clock; log: Log }): ResultValidator {
  const texts = new WeakMap<object, string>();
  /** By the text of a schema, or the id of a server: until when. */
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
    async fits(of, definition, members) {
      const schema = textOf(definition);
      const isLeftAlone = () => isStopped || isPaused(schema) || isPaused(of.server);
      if (waiting >= maxWaiting || isLeftAlone()) return undefined;
      waiting++;
      const compared = last.then(() => (isLeftAlone() ? undefined : compare({ schema, members })));
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
    async stop() {
      isStopped = true;
      await worker?.then((one) => one.terminate()).catch(() => {});
    },
  };
}

async function startWorker(onEnd: () => void): Promise<Worker> {
  const worker = new Worker(new URL('./validation-worker.ts', import.meta.url), { resourceLimits, execArgv: [] });
  // nothing waits for it at the end of the process; what it fails with is told where its answer is waited for
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
  const told = answerOf(worker, comparisonMs);
  // nothing is handed over
  worker.postMessage(comparison, []);
  // why the cast: the worker answers a comparison with nothing else
  return (await told) as Verdict;
}

/** The next message of a worker. @throws Error when there is none in time, or it ends */
function answerOf(worker: Worker, withinMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const tooLong = () => end(() => reject(new Error(`it takes more than ${withinMs} ms`)));
    // where this thread was busy itself, the answer may have come meanwhile
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
