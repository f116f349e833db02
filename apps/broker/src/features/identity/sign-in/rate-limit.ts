import type { Clock } from '#platform/clock.ts';

const windowMs = 60_000;
const maxAddresses = 10_000;

/** Counts events of an address in a window of a minute. `allow` answers false once there were more than `perMinute`. */
export function createRateLimit(clock: Clock, perMinute: number) {
  const windows = new Map<string, { startedAtMs: number; count: number }>();
  return {
    allow(address: string): boolean {
      const nowMs = clock.now();
      const window = windows.get(address);
      if (window && nowMs - window.startedAtMs < windowMs) {
        window.count += 1;
        return window.count <= perMinute;
      }
      if (windows.size >= maxAddresses) forgetPast(nowMs);
      windows.set(address, { startedAtMs: nowMs, count: 1 });
      return true;
    },
  };

  function forgetPast(nowMs: number): void {
    for (const [address, window] of windows) if (nowMs - window.startedAtMs >= windowMs) windows.delete(address);
    // A flood from ever new addresses must not grow this for ever: the oldest go first.
    for (const address of windows.keys()) {
      if (windows.size < maxAddresses) break;
      windows.delete(address);
    }
  }
}
