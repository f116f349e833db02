import type { GuardedProcess } from '#adapters/mcp/transports/process-guard.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { memoryOf, scratchOf } from './family-memory.ts';
import { familyOf } from './process-family.ts';
import { inMegabytes, maxOpenFiles, maxTasks, type ProgramLimits } from './program-limits.ts';
import { unlinkedFilesOf } from './unlinked-files.ts';

/** Why a program was ended or not started. */
export type EndedFor = 'folder' | 'memory' | 'processes' | 'files' | 'disk';

export type Fault = { program: GuardedProcess; why: EndedFor; reason: UpstreamError };
type Measured = { program: GuardedProcess; pids: number[]; bytes: number; filesInMemoryBytes: number };

/**
 * Processes of a program that are checked for in-memory file systems. Pasta and bubblewrap start a few before the
 * program, which see the file systems too.
 */
const firstProcesses = 8;

/**
 * Measures the memory, processes and files of the programs of one owner.
 * @param disk device of the folders that count as disk
 * @returns the programs over a limit, and the size of deleted files on that disk that are still open in any of them
 */
export function judgeProcesses(
  programs: Iterable<GuardedProcess>,
  limits: Pick<ProgramLimits, 'memoryBytes' | 'personMemoryBytes'>,
  disk: number,
): { faults: Fault[]; unlinkedBytes: number } {
  const faults: Fault[] = [];
  const measured: Measured[] = [];
  let unlinkedBytes = 0;
  const fault = (program: GuardedProcess, why: EndedFor, reason: UpstreamError) =>
    faults.push({ program, why, reason });

  for (const program of programs) {
    const { pids, tasks } = familyOf(program.pid, maxTasks);
    const unlinked = unlinkedFilesOf(pids, disk, maxOpenFiles);
    const filesInMemoryBytes = unlinked.memoryBytes + Math.max(0, ...pids.slice(0, firstProcesses).map(scratchOf));
    const bytes = memoryOf(pids, limits.memoryBytes - filesInMemoryBytes) + filesInMemoryBytes;
    unlinkedBytes += unlinked.diskBytes;
    if (tasks > maxTasks) fault(program, 'processes', tookMore(`${maxTasks} processes and threads`));
    else if (unlinked.isTooMany) fault(program, 'files', tookMore(`${maxOpenFiles} open files`));
    else if (bytes > limits.memoryBytes) fault(program, 'memory', tooMuchMemory(limits));
    else measured.push({ program, pids, bytes, filesInMemoryBytes });
  }
  const largest = findLargest(measured, limits.personMemoryBytes);
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

function findLargest(measured: readonly Measured[], limit: number): GuardedProcess | undefined {
  if (sum(measured) <= limit) return undefined;
  const exact = measured.map((each) => ({ ...each, bytes: memoryOf(each.pids, 0) + each.filesInMemoryBytes }));
  return sum(exact) <= limit ? undefined : exact.toSorted((a, b) => b.bytes - a.bytes)[0]?.program;
}

function sum(measured: readonly { bytes: number }[]): number {
  return measured.reduce((total, { bytes }) => total + bytes, 0);
}
