import type { ServerFigures } from '@souk/contract/admin/servers.ts';
import { memoryOf } from './limits/family-memory.ts';
import { familyOf } from './limits/process-family.ts';
import type { ProgramUse } from './program-log.ts';

export type Child = NonNullable<ServerFigures['now']>['children'][number];
export type RunningProgram = { pid: number; use: ProgramUse; startedAtMs: number };

/** Processes and threads counted per program: a program and its sandbox may start others. */
const maxTasks = 1024;

/**
 * Lists processes for the operator, with their start time and their memory, including the processes that they started.
 */
export function listChildren(programs: readonly RunningProgram[]): Child[] {
  return programs.map(({ pid, use, startedAtMs }) => ({
    pid,
    use,
    startedAt: new Date(startedAtMs).toISOString(),
    memoryBytes: bytesOf(pid),
  }));
}

/** Returns null if the machine does not report it (macOS), or the process has ended. */
function bytesOf(root: number): number | null {
  const { pids } = familyOf(root, maxTasks);
  return pids.length === 0 ? null : memoryOf(pids, Infinity);
}
