/**
 * Watches how long this thread computes between two turns of its event loop. It counts processor time, not wall time:
 * other processes on a busy machine are not included.
 * @returns a function that stops watching and returns the longest in milliseconds
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
