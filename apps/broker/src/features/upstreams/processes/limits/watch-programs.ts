import { statSync } from 'node:fs';
import { freemem } from 'node:os';
import type { Log } from '#platform/log.ts';
import { createWorkLoop, type WorkLoop } from '#platform/work/work-loop.ts';
import { createDiskCheck } from './disk-room.ts';
import { createFolderSizes } from './folder-sizes.ts';
import { allowedFor, countedShare, endProgram, folderFull, guardProgram, type LimitParts } from './guard-program.ts';
import { judgeProcesses } from './judge-processes.ts';
import type { MemoryGroups } from './memory-groups.ts';
import type { ProgramLimits } from './program-limits.ts';
import type { ProgramWatch } from './program-watch.ts';

const lookEveryMs = 500;
/** Looking at processes and counting files each rest 20 times as long as they worked: a twentieth of the CPU time. */
const restShare = 20;
const machineEveryMs = 100;
/** Share of a program's limit by which the machine's free room falls when a program takes it fast: then we look now. */
const noticedShare = 1 / 8;

export function createProgramWatch(options: {
  dataDir: string;
  limits: ProgramLimits;
  /** The kernel's limits, if the operator provides a control group. */
  memoryGroups?: MemoryGroups | undefined;
  log: Log;
}): ProgramWatch {
  const { dataDir, limits, log } = options;
  const { folderBytes, freeDiskBytes } = limits;
  const parts: LimitParts = {
    ...options,
    charged: new Map(),
    ended: { folder: 0, memory: 0, processes: 0, files: 0, disk: 0 },
    sizes: createFolderSizes(folderBytes * countedShare),
    checkDisk: createDiskCheck({ dataDir, freeDiskBytes, log }),
  };
  const { charged, ended, sizes } = parts;
  const isNeeded = () => charged.size > 0 && !stopped;
  /** Repeats as long as programs run. */
  const repeated = (everyMs: number, look: () => Promise<void>) =>
    createWorkLoop({
      async work() {
        await look();
        return isNeeded() ? everyMs : undefined;
      },
      failed(error) {
        log.warn({ err: error }, 'programs could not be checked');
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

  /** A cheap and frequent check: a fast program writes a gigabyte a second. */
  async function checkMachine(): Promise<void> {
    const { freeBytes, reason } = await parts.checkDisk();
    if (memoryFell(freemem())) hurry(looking);
    if (diskFell(freeBytes)) hurry(counting);
    if (!reason) return;
    for (const each of charged.values()) {
      for (const program of each.programs.keys()) endProgram(each, { program, why: 'disk', reason }, parts);
    }
  }

  async function lookAtProcesses(): Promise<void> {
    for (const each of charged.values()) {
      if (stopped) return;
      const begunMs = performance.now();
      const { faults, unlinkedBytes } = judgeProcesses(each.programs.keys(), limits, statSync(dataDir).dev);
      each.unlinkedBytes = unlinkedBytes;
      for (const fault of faults) endProgram(each, fault, parts);
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
        const reason = folderFull(each.owner, total, folderBytes);
        for (const program of each.programs.keys()) endProgram(each, { program, why: 'folder', reason }, parts);
      }
      each.allowedBytes = Math.min(each.allowedBytes, allowedFor(total, folderBytes));
      await rest(busyMs);
    }
    looks.files++;
  }

  function watchSoon(): void {
    looking.within(lookEveryMs);
    counting.within(lookEveryMs);
    watchingMachine.within(machineEveryMs);
  }

  return {
    guardFor: (owner, server) => guardProgram(owner, server, parts, watchSoon),
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

function rest(busyMs: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, busyMs * restShare).unref());
}

/** Returns a function that tells whether a figure fell by this much from its highest value since the last such fall. */
function watchFall(by: number): (figure: number) => boolean {
  let highest = 0;
  return (figure) => {
    const hasFallen = figure < highest - by;
    highest = hasFallen ? figure : Math.max(highest, figure);
    return hasFallen;
  };
}
