import { readFileSync } from 'node:fs';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

const everyMs = 5;

/**
 * The delay of this thread's event loop without the time in which it was ready and got no processor, because other
 * processes of the machine had it: what is left is ours. Where Linux does not say, the whole delay. In nanoseconds.
 */
export function watchOwnDelay(): RecordableHistogram {
  const histogram = createHistogram();
  let lastMs = performance.now();
  let lastWaitedMs = waitedMs();
  setInterval(() => {
    const nowMs = performance.now();
    const waitMs = waitedMs();
    const delayMs = nowMs - lastMs - everyMs - (waitMs - lastWaitedMs);
    histogram.record(Math.max(1, Math.round(delayMs * 1e6)));
    lastMs = nowMs;
    lastWaitedMs = waitMs;
  }, everyMs);
  return histogram;
}

/** How long the main thread has waited for a processor: second figure of schedstat. */
function waitedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
