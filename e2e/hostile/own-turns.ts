import { readFileSync } from 'node:fs';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

const everyMs = 5;

/** What of the delay of this thread's event loop is the thread's own doing. */
export type OwnTurns = {
  /** Processor time of each turn of the loop, in nanoseconds: what other processes took in between is not in it. */
  readonly computed: RecordableHistogram;
  /** The share of the time in which the thread was ready and had no processor, 0 to 1. Where Linux does not say, 0. */
  waitedShare(): number;
  reset(): void;
};

export function watchOwnTurns(): OwnTurns {
  const computed = createHistogram();
  let last = process.threadCpuUsage();
  let since = { atMs: performance.now(), waitedMs: waitedMs() };
  setInterval(() => {
    const now = process.threadCpuUsage();
    computed.record(Math.max(1, (now.user + now.system - last.user - last.system) * 1000));
    last = now;
  }, everyMs);
  return {
    computed,
    waitedShare: () => (waitedMs() - since.waitedMs) / (performance.now() - since.atMs),
    reset() {
      computed.reset();
      since = { atMs: performance.now(), waitedMs: waitedMs() };
    },
  };
}

/** How long the main thread has waited for a processor: second figure of schedstat. */
function waitedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
