import { statSync } from 'node:fs';
import { freemem } from 'node:os';
import type { GuardedProcess } from '#adapters/mcp/transports/process-guard.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Log } from '#platform/log.ts';
import { createWorkLoop, type WorkLoop } from '#platform/work/work-loop.ts';
import { createDiskRoom } from './disk-room.ts';
import type { ProgramOwner, ProgramWatch } from './program-watch.ts';
import { createFolderSizes } from './folder-sizes.ts';
import { judgeProcesses, tooMuchMemory, tooMuchTogether, type EndedFor, type Fault } from './judge-processes.ts';
import type { MemoryGroup, MemoryGroups } from './memory-groups.ts';
import { watchFall } from './watch-fall.ts';
import { inMegabytes, rewriteShare, startShare, type ProgramLimits } from './program-limits.ts';

const lookEveryMs = 500;
/** Either way of looking takes at most a twentieth of the processor's time, however much there is to look at. */
const restShare = 20;
/** Above this share of the quota the files are not counted on. */
const countedShare = 2;
const machineEveryMs = 100;
/** When the machine lost this share of what a program may take, somebody takes it fast: then we look at once. */
const noticedShare = 1 / 8;

type Charged = {
  owner: ProgramOwner;
  /** With their servers. One that was ended is no longer among them. */
  programs: Map<GuardedProcess, string>;
  /** What they hold in deleted files. */
  unlinkedBytes: number;
  /** Processes that have not exited. */
  live: number;
  /** What the files may take: the quota, or above it what they took at the start and a little more. It only falls. */
  allowedBytes: number;
};

export function createProgramWatch(options: {
  dataDir: string;
  limits: ProgramLimits;
  /** The kernel's, where the operator gave us a place for them. */
  memoryGroups?: MemoryGroups | undefined;
  log: Log;
}): ProgramWatch {
  const { dataDir, limits, memoryGroups, log } = options;
  const { folderBytes } = limits;
  const charged = new Map<string, Charged>();
  const ended: Record<EndedFor, number> = { folder: 0, memory: 0, processes: 0, files: 0, disk: 0 };
  const sizes = createFolderSizes(folderBytes * countedShare);
  const room = createDiskRoom({ dataDir, freeDiskBytes: limits.freeDiskBytes, log });
  const isNeeded = () => charged.size > 0 && !stopped;
  /** Is due again for as long as programs run. */
  const repeated = (everyMs: number, look: () => Promise<void>) =>
    createWorkLoop({
      async work() {
        await look();
        return isNeeded() ? everyMs : undefined;
      },
      failed(error) {
        log.warn({ err: error }, 'programs could not be looked at');
        return isNeeded() ? everyMs : undefined;
      },
    });
  const looking = repeated(lookEveryMs, lookAtProcesses);
  const counting = repeated(lookEveryMs, countFiles);
  const watchingMachine = repeated(machineEveryMs, checkMachine);
  const diskFell = watchFall(folderBytes * noticedShare);
  const memoryFell = watchFall(limits.memoryBytes * noticedShare);
  const looks = { processes: 0, files: 0 };
  let stopped = false;

  function hurry(loop: WorkLoop): void {
    if (!loop.isRunning()) void loop.run();
  }

  /** Cheap, and often: a fast program writes a gigabyte a second. */
  async function checkMachine(): Promise<void> {
    const { freeBytes, reason } = await room.check();
    if (memoryFell(freemem())) hurry(looking);
    if (diskFell(freeBytes)) hurry(counting);
    if (!reason) return;
    for (const each of charged.values()) {
      for (const program of each.programs.keys()) end(each, { program, why: 'disk', reason });
    }
  }

  async function lookAtProcesses(): Promise<void> {
    for (const each of charged.values()) {
      if (stopped) return;
      const begunMs = performance.now();
      const { faults, unlinkedBytes } = judgeProcesses(each.programs.keys(), limits, statSync(dataDir).dev);
      each.unlinkedBytes = unlinkedBytes;
      for (const fault of faults) end(each, fault);
      await rest(performance.now() - begunMs);
    }
    looks.processes++;
  }

  async function countFiles(): Promise<void> {
    for (const each of charged.values()) {
      if (stopped) return;
      const { bytes, busyMs } = await sizes.of(each.owner);
      const total = bytes + each.unlinkedBytes;
      if (total > each.allowedBytes) {
        const reason = folderFull(each.owner, total);
        for (const program of each.programs.keys()) end(each, { program, why: 'folder', reason });
      }
      each.allowedBytes = Math.min(each.allowedBytes, allowedFor(total));
      await rest(busyMs);
    }
    looks.files++;
  }

  function rest(busyMs: number): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, busyMs * restShare).unref());
  }

  function end(each: Charged, fault: Fault): void {
    note(each, fault);
    fault.program.end(fault.reason);
  }

  function note({ owner, programs }: Charged, { program, why, reason }: Fault): void {
    log.warn({ server: programs.get(program), owner: owner.key, limit: why }, `a program was ended: ${reason.message}`);
    programs.delete(program);
    ended[why]++;
  }

  /** Why the kernel ended a program that we did not end. */
  function endedByKernel(
    each: Charged,
    program: GuardedProcess,
    group: MemoryGroup | undefined,
  ): UpstreamError | undefined {
    const whose = each.programs.has(program) ? group?.ended() : undefined;
    if (!whose) return undefined;
    const reason = whose === 'program' ? tooMuchMemory(limits) : tooMuchTogether(limits);
    note(each, { program, why: 'memory', reason });
    return reason;
  }

  function folderFull({ sharedFolder }: ProgramOwner, bytes: number): UpstreamError {
    const most = folderBytes * countedShare;
    const taken = bytes > most ? `more than ${inMegabytes(most)}` : inMegabytes(bytes);
    const problem = `the files take ${taken}, and ${inMegabytes(folderBytes)} are allowed`;
    if (sharedFolder === undefined) return new UpstreamError('folder_full', problem);
    const remedy = `make room in ${sharedFolder} of the data folder`;
    return new UpstreamError('shared_folder_full', `${problem}: ${remedy}`);
  }

  function allowedFor(bytes: number): number {
    return bytes <= folderBytes ? folderBytes : bytes + folderBytes * rewriteShare;
  }

  return {
    guardFor(owner, server) {
      let bytesAtStart = 0;
      let group: MemoryGroup | undefined;
      return {
        async admit() {
          const { reason } = await room.check();
          if (reason) {
            ended.disk++;
            throw reason;
          }
          bytesAtStart = (await sizes.of(owner)).bytes;
          if (bytesAtStart <= (charged.get(owner.key)?.allowedBytes ?? folderBytes * startShare)) return;
          ended.folder++;
          throw folderFull(owner, bytesAtStart);
        },
        enter() {
          try {
            group = memoryGroups?.open(owner.key);
          } catch (error) {
            const reason = error instanceof Error ? error.message : String(error);
            throw new UpstreamError('unreachable', `PROGRAMS_CGROUP: no group can be made (${reason})`, {
              cause: error,
            });
          }
          return group?.enter ?? [];
        },
        watch(program) {
          if (!program) {
            group?.close();
            return () => undefined;
          }
          const fresh = {
            owner,
            programs: new Map(),
            unlinkedBytes: 0,
            live: 0,
            allowedBytes: allowedFor(bytesAtStart),
          };
          const each: Charged = charged.get(owner.key) ?? fresh;
          charged.set(owner.key, each);
          each.programs.set(program, server);
          each.live++;
          looking.within(lookEveryMs);
          counting.within(lookEveryMs);
          watchingMachine.within(machineEveryMs);
          return () => {
            const reason = endedByKernel(each, program, group);
            group?.close();
            each.programs.delete(program);
            if (--each.live === 0) charged.delete(owner.key);
            return reason;
          };
        },
      };
    },
    sizeOf: sizes.of,
    allowedBytes: folderBytes,
    forget: sizes.forget,
    figures: () => ended,
    looks: () => looks,
    stop() {
      stopped = true;
      for (const loop of [looking, counting, watchingMachine]) void loop.stop();
    },
  };
}
