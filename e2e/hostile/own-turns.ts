import { readFileSync } from 'node:fs';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

const everyMs = 5;

/** Part of this thread's event loop delay that the thread itself causes. */
export type OwnTurns = {
  /** Processor time of each turn of the loop, in nanoseconds, without the time of other processes. */
  readonly computed: RecordableHistogram;
  /**
   * Returns the share of time in which the thread was ready but had no processor, 0 to 1. 0 if Linux does not report
   * it.
   */
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

/** Returns the time that the main thread has waited for a processor: the second figure of schedstat. */
function waitedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
