import type { LookupAddress, LookupOptions } from 'node:dns';

export type ResolveName = (
  name: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Callback = Parameters<ResolveName>[2];
type Lookup = { key: string; name: string; options: LookupOptions; callbacks: Callback[]; giveUp: NodeJS.Timeout };

/** Time for which a failed name is not looked up again. */
const failureLastsMs = 30_000;
/** Callers have given up by then: connections have deadlines of a few seconds. */
const longestWaitMs = 10_000;
const mostWaiting = 1_000;
const mostFailures = 1_000;

/**
 * Returns how many names from outside may be looked up concurrently. Node uses half of libuv's threads (UV_THREADPOOL_SIZE)
 * for look-ups, and an unanswered one blocks its thread until the system's resolver gives up. Half of that half is left for
 * names of the configuration: sign-in, payments, the database.
 */
export function lookupSlots(threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)): number {
  return Math.max(1, Math.floor(Math.ceil(threads / 2) / 2));
}

/**
 * Limits concurrent look-ups of names from outside (manifests, documents of clients). Equal names share one look-up. Names
 * that failed before queue behind the others, and may use at most half of the slots.
 */
export function boundLookups(
  resolve: ResolveName,
  slots: number,
  now: () => number = () => performance.now(),
): ResolveName {
  const underWay = new Map<string, Lookup>();
  const waiting: Lookup[] = [];
  const failures = new Map<string, { error: NodeJS.ErrnoException; untilMs: number }>();
  let running = 0;
  let retrying = 0;

  function end({ key, callbacks, giveUp }: Lookup, error: NodeJS.ErrnoException | null, found: LookupAddress[]): void {
    clearTimeout(giveUp);
    underWay.delete(key);
    for (const callback of callbacks) callback(error, found);
  }

  function remember(key: string, error: NodeJS.ErrnoException): void {
    failures.delete(key);
    for (const oldest of failures.keys()) {
      if (failures.size < mostFailures) break;
      failures.delete(oldest);
    }
    failures.set(key, { error, untilMs: now() + failureLastsMs });
  }

  function begin(lookup: Lookup): void {
    clearTimeout(lookup.giveUp);
    const isRetry = failures.has(lookup.key);
    running++;
    if (isRetry) retrying++;
    resolve(lookup.name, lookup.options, (error, found) => {
      running--;
      if (isRetry) retrying--;
      if (error) remember(lookup.key, error);
      else failures.delete(lookup.key);
      end(lookup, error, found);
      beginNext();
    });
  }

  function beginNext(): void {
    while (running < slots) {
      let at = waiting.findIndex(({ key }) => !failures.has(key));
      if (at < 0 && retrying < Math.ceil(slots / 2)) at = waiting.length - 1;
      const [lookup] = at < 0 ? [] : waiting.splice(at, 1);
      if (!lookup) return;
      begin(lookup);
    }
  }

  return (name, options, callback) => {
    const key = `${name} ${options.family ?? 0} ${options.hints ?? 0}`;
    const failure = failures.get(key);
    if (failure && now() < failure.untilMs) return void process.nextTick(callback, failure.error, []);
    const same = underWay.get(key);
    if (same) return void same.callbacks.push(callback);
    if (waiting.length >= mostWaiting) return void process.nextTick(callback, notInTime(name), []);
    const lookup: Lookup = {
      key,
      name,
      options,
      callbacks: [callback],
      giveUp: setTimeout(() => {
        waiting.splice(waiting.indexOf(lookup), 1);
        end(lookup, notInTime(name), []);
      }, longestWaitMs).unref(),
    };
    underWay.set(key, lookup);
    waiting.push(lookup);
    beginNext();
  };
}

/** The error that the resolver itself uses for a temporary failure. */
function notInTime(name: string): NodeJS.ErrnoException {
  const error = new Error(`getaddrinfo EAI_AGAIN ${name}: too many names are being looked up`);
  return Object.assign(error, { code: 'EAI_AGAIN', syscall: 'getaddrinfo', hostname: name });
}
