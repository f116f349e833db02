import type { Clock } from '#platform/clock.ts';
import { addressGroup } from '#platform/http/address-group.ts';

const windowMs = 60_000;
const maxAddresses = 10_000;

/** Counts events of an address (of IPv6: of its /64) in a window of a minute. `allow` answers false once there were more than `perMinute`. */
export function createRateLimit(clock: Clock, perMinute: number) {
  const windows = new Map<string, { startedAtMs: number; count: number }>();
  return {
    allow(from: string): boolean {
      const address = addressGroup(from);
      const nowMs = clock.now();
      const window = windows.get(address);
      if (window && nowMs - window.startedAtMs < windowMs) {
        window.count += 1;
        return window.count <= perMinute;
      }
      // A map keeps the order of insertion: the address whose window began first goes, so a flood cannot grow this.
      windows.delete(address);
      const [oldest] = windows.keys();
      if (oldest !== undefined && windows.size >= maxAddresses) windows.delete(oldest);
      windows.set(address, { startedAtMs: nowMs, count: 1 });
      return true;
    },
  };
}
