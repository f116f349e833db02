import type { GuardedProcess, ProcessGuard } from '#adapters/mcp/transports/process-guard.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Log } from '#platform/log.ts';
import type { CheckDisk } from './disk-room.ts';
import type { createFolderSizes } from './folder-sizes.ts';
import { tooMuchMemory, tooMuchTogether, type EndedFor, type Fault } from './judge-processes.ts';
import type { MemoryGroup, MemoryGroups } from './memory-groups.ts';
import { inMegabytes, rewriteShare, startShare, type ProgramLimits } from './program-limits.ts';
import type { ProgramOwner } from './program-watch.ts';

/** Multiple of the quota at which counting of files stops. */
export const countedShare = 2;

/** The running programs of one owner, with their limits. */
export type ChargedOwner = {
  owner: ProgramOwner;
  /** Programs with their servers. A program that was ended is removed. */
  programs: Map<GuardedProcess, string>;
  /** Size of deleted files that the programs still hold. */
  unlinkedBytes: number;
  /** Processes that have not exited. */
  live: number;
  /**
   * Limit of the files: the quota, or a little more than their size at the start, if that was above it. It only
   * decreases.
   */
  allowedBytes: number;
};

export type LimitParts = {
  limits: ProgramLimits;
  /** The kernel's limits, if the operator provides a control group. */
  memoryGroups?: MemoryGroups | undefined;
  charged: Map<string, ChargedOwner>;
  /** Number of programs that were ended or not started, by limit. */
  ended: Record<EndedFor, number>;
  sizes: ReturnType<typeof createFolderSizes>;
  checkDisk: CheckDisk;
  log: Log;
};

/**
 * Admits one program, starts it in its control group, and charges its owner until it exits.
 * @param started called when the program runs
 */
export function guardProgram(
  owner: ProgramOwner,
  server: string,
  parts: LimitParts,
  started: () => void,
): ProcessGuard {
  const { charged, ended, sizes } = parts;
  const { folderBytes } = parts.limits;
  let bytesAtStart = 0;
  let group: MemoryGroup | undefined;
  return {
    async admit() {
      const { reason } = await parts.checkDisk();
      if (reason) {
        ended.disk++;
        throw reason;
      }
      bytesAtStart = (await sizes.of(owner)).bytes;
      if (bytesAtStart <= (charged.get(owner.key)?.allowedBytes ?? folderBytes * startShare)) return;
      ended.folder++;
      throw folderFull(owner, bytesAtStart, folderBytes);
    },
    enter() {
      try {
        group = parts.memoryGroups?.open(owner.key);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new UpstreamError('unreachable', `PROGRAMS_CGROUP: no group can be made (${reason})`, { cause: error });
      }
      return group?.enter ?? [];
    },
    watch(program) {
      if (!program) {
        group?.close();
        return () => undefined;
      }
      const each: ChargedOwner = charged.get(owner.key) ?? {
        owner,
        programs: new Map(),
        unlinkedBytes: 0,
        live: 0,
        allowedBytes: allowedFor(bytesAtStart, folderBytes),
      };
      charged.set(owner.key, each);
      each.programs.set(program, server);
      each.live++;
      started();
      return () => {
        const reason = endedByKernel(each, program, group, parts);
        group?.close();
        each.programs.delete(program);
        if (--each.live === 0) charged.delete(owner.key);
        return reason;
      };
    },
  };
}

/** Returns why the kernel ended a program that we did not end. */
function endedByKernel(
  each: ChargedOwner,
  program: GuardedProcess,
  group: MemoryGroup | undefined,
  parts: LimitParts,
): UpstreamError | undefined {
  const whose = each.programs.has(program) ? group?.ended() : undefined;
  if (!whose) return undefined;
  const reason = whose === 'program' ? tooMuchMemory(parts.limits) : tooMuchTogether(parts.limits);
  recordEnd(each, { program, why: 'memory', reason }, parts);
  return reason;
}

export function endProgram(each: ChargedOwner, fault: Fault, parts: LimitParts): void {
  recordEnd(each, fault, parts);
  fault.program.end(fault.reason);
}

function recordEnd(
  { owner, programs }: ChargedOwner,
  { program, why, reason }: Fault,
  { ended, log }: LimitParts,
): void {
  log.warn({ server: programs.get(program), owner: owner.key, limit: why }, `a program was ended: ${reason.message}`);
  programs.delete(program);
  ended[why]++;
}

export function folderFull({ sharedFolder }: ProgramOwner, bytes: number, folderBytes: number): UpstreamError {
  const most = folderBytes * countedShare;
  const taken = bytes > most ? `more than ${inMegabytes(most)}` : inMegabytes(bytes);
  const problem = `the files take ${taken}, and ${inMegabytes(folderBytes)} are allowed`;
  if (sharedFolder === undefined) return new UpstreamError('folder_full', problem);
  const remedy = `make room in ${sharedFolder} of the data folder`;
  return new UpstreamError('shared_folder_full', `${problem}: ${remedy}`);
}

export function allowedFor(bytes: number, folderBytes: number): number {
  return bytes <= folderBytes ? folderBytes : bytes + folderBytes * rewriteShare;
}
