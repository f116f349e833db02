/**
 * Watches how long this thread computes between two turns of its event loop. Processor time, not wall time: what other
 * processes take from a busy machine is not counted.
 * @returns stops watching and gives the longest in milliseconds
 */
export function watchLongestTurn(): () => number {
  let longestMs = 0;
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (now.user + now.system - last.user - last.system) / 1000);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longestMs;
  };
}
