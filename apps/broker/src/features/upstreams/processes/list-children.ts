import { readFile } from 'node:fs/promises';
import type { ServerFigures } from '@souk/contract/admin/servers.ts';
import type { ProgramUse } from './program-log.ts';

export type Child = NonNullable<ServerFigures['now']>['children'][number];
export type RunningProgram = { pid: number; use: ProgramUse; startedAtMs: number };

/** Processes counted per program: a program and its sandbox may start others. */
const maxProcesses = 256;

/**
 * Lists processes for the operator, with their start time and their memory, including the processes that they started.
 */
export function listChildren(programs: readonly RunningProgram[]): Promise<Child[]> {
  return Promise.all(
    programs.map(async ({ pid, use, startedAtMs }) => ({
      pid,
      use,
      startedAt: new Date(startedAtMs).toISOString(),
      memoryBytes: await memoryOf(pid),
    })),
  );
}

/** Returns null if the machine does not report it (macOS), or the process has ended. */
async function memoryOf(root: number): Promise<number | null> {
  const waiting = [root];
  let total: number | null = null;
  for (let seen = 0; seen < maxProcesses; seen++) {
    const pid = waiting.pop();
    if (pid === undefined) break;
    const status = await readText(`/proc/${pid}/status`);
    const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
    if (kibibytes !== undefined) total = (total ?? 0) + Number(kibibytes) * 1024;
    const children = await readText(`/proc/${pid}/task/${pid}/children`);
    waiting.push(...children.split(' ').filter(Boolean).map(Number));
  }
  return total;
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
