import type { Log } from '#platform/log.ts';
import { createSampledLog } from '#platform/sampled-log.ts';

const doors = ['mcp', 'api', 'webhook'] as const;
/** Requests come in at the MCP endpoints, at the API, or are webhooks of the payment provider. */
export type RefusingDoor = (typeof doors)[number];

export type Refusals = {
  note(door: RefusingDoor, details: { code: string } & Record<string, unknown>): void;
  /** How many each door refused since the start. */
  counts(): Record<RefusingDoor, number>;
  stop(): void;
};

/** Counts refused requests, with a line in the log for each; in a flood for some of them. A flood at one door hides no other. */
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
