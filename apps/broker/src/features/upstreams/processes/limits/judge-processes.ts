import type { GuardedProcess } from '#adapters/mcp/transports/process-guard.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { memoryOf, scratchOf } from './family-memory.ts';
import { familyOf } from './process-family.ts';
import { inMegabytes, maxOpenFiles, maxTasks, type ProgramLimits } from './program-limits.ts';
import { unlinkedFilesOf } from './unlinked-files.ts';

/** Why a program was ended or not started. */
export type EndedFor = 'folder' | 'memory' | 'processes' | 'files' | 'disk';

export type Fault = { program: GuardedProcess; why: EndedFor; reason: UpstreamError };
type Taken = { program: GuardedProcess; pids: number[]; bytes: number; beside: number };

/** Processes looked at for in-memory file systems: pasta and bubblewrap start a few before the program, which see them. */
const firstProcesses = 8;

/**
 * Measures what the programs of one owner take now.
 * @param disk device of the folders that count as disk
 * @returns the programs that take too much, and the size of deleted files on that disk that all of them hold
 */
export function judgeProcesses(
  programs: Iterable<GuardedProcess>,
  limits: Pick<ProgramLimits, 'memoryBytes' | 'personMemoryBytes'>,
  disk: number,
): { faults: Fault[]; unlinkedBytes: number } {
  const faults: Fault[] = [];
  const taken: Taken[] = [];
  let unlinkedBytes = 0;
  const fault = (program: GuardedProcess, why: EndedFor, reason: UpstreamError) =>
    faults.push({ program, why, reason });

  for (const program of programs) {
    const { pids, tasks } = familyOf(program.pid, maxTasks);
    const unlinked = unlinkedFilesOf(pids, disk, maxOpenFiles);
    const beside = unlinked.memoryBytes + Math.max(0, ...pids.slice(0, firstProcesses).map(scratchOf));
    const bytes = memoryOf(pids, limits.memoryBytes - beside) + beside;
    unlinkedBytes += unlinked.diskBytes;
    if (tasks > maxTasks) fault(program, 'processes', tookMore(`${maxTasks} processes and threads`));
    else if (unlinked.isTooMany) fault(program, 'files', tookMore(`${maxOpenFiles} open files`));
    else if (bytes > limits.memoryBytes) fault(program, 'memory', tooMuchMemory(limits));
    else taken.push({ program, pids, bytes, beside });
  }
  const largest = largestOfTooMuch(taken, limits.personMemoryBytes);
  if (largest) fault(largest, 'memory', tooMuchTogether(limits));
  return { faults, unlinkedBytes };
}

export function tooMuchMemory({ memoryBytes }: Pick<ProgramLimits, 'memoryBytes'>): UpstreamError {
  return tookMore(`${inMegabytes(memoryBytes)} of memory`);
}

export function tooMuchTogether({ personMemoryBytes }: Pick<ProgramLimits, 'personMemoryBytes'>): UpstreamError {
  return tookMore(`${inMegabytes(personMemoryBytes)} of memory together with your other programs`);
}

function tookMore(what: string): UpstreamError {
  return new UpstreamError('over_limit', `it took more than ${what}`);
}

function largestOfTooMuch(taken: readonly Taken[], limit: number): GuardedProcess | undefined {
  if (sum(taken) <= limit) return undefined;
  const exact = taken.map((each) => ({ ...each, bytes: memoryOf(each.pids, 0) + each.beside }));
  return sum(exact) <= limit ? undefined : exact.toSorted((a, b) => b.bytes - a.bytes)[0]?.program;
}

function sum(taken: readonly { bytes: number }[]): number {
  return taken.reduce((total, { bytes }) => total + bytes, 0);
}
