import type { Log } from '#platform/log.ts';
import { createSampledLog } from '#platform/sampled-log.ts';

const doors = ['mcp', 'api', 'webhook'] as const;
export type RefusingDoor = (typeof doors)[number];

export type Refusals = {
  note(door: RefusingDoor, details: { code: string } & Record<string, unknown>): void;
  /** Counts refused requests by door since the start. */
  counts(): Record<RefusingDoor, number>;
  stop(): void;
};

/** Counts and logs refused requests. In a flood only a sample is logged, per door, so that no door hides another. */
export function createRefusals(log: Log): Refusals {
  const logs = doors.map((door) => [door, createSampledLog(log, 'more requests were refused')] as const);
  const byDoor = new Map(logs);
  const counts = { mcp: 0, api: 0, webhook: 0 };
  return {
    note(door, details) {
      counts[door]++;
      byDoor.get(door)?.info({ door, ...details }, 'request refused');
    },
    counts: () => ({ ...counts }),
    stop: () => logs.forEach(([, each]) => each.stop()),
  };
}
