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

const checkIntervalMs = 500;
/** Each loop rests 20 times as long as it worked, so that it takes at most a twentieth of the CPU time. */
const restFactor = 20;
const machineIntervalMs = 100;
/**
 * Share of a program's limit. If the machine's free memory or disk space falls by this much, programs are checked
 * immediately.
 */
const fallShare = 1 / 8;

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
  /** Repeats a check as long as programs run. */
  const repeated = (everyMs: number, check: () => Promise<void>) =>
    createWorkLoop({
      async work() {
        await check();
        return isNeeded() ? everyMs : undefined;
      },
      failed(error) {
        log.warn({ err: error }, 'programs could not be checked');
        return isNeeded() ? everyMs : undefined;
      },
    });
  const processLoop = repeated(checkIntervalMs, checkProcesses);
  const fileLoop = repeated(checkIntervalMs, countFiles);
  const machineLoop = repeated(machineIntervalMs, checkMachine);
  const diskFell = watchFall(folderBytes * fallShare);
  const memoryFell = watchFall(limits.memoryBytes * fallShare);
  const looks = { processes: 0, files: 0 };
  let stopped = false;

  function runNow(loop: WorkLoop): void {
    if (!loop.isRunning()) void loop.run();
  }

  /** Checks the machine. The check is cheap and frequent, because a fast program writes a gigabyte per second. */
  async function checkMachine(): Promise<void> {
    const { freeBytes, reason } = await parts.checkDisk();
    if (memoryFell(freemem())) runNow(processLoop);
    if (diskFell(freeBytes)) runNow(fileLoop);
    if (!reason) return;
    for (const each of charged.values()) {
      for (const program of each.programs.keys()) endProgram(each, { program, why: 'disk', reason }, parts);
    }
  }

  async function checkProcesses(): Promise<void> {
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
    processLoop.within(checkIntervalMs);
    fileLoop.within(checkIntervalMs);
    machineLoop.within(machineIntervalMs);
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
      for (const loop of [processLoop, fileLoop, machineLoop]) void loop.stop();
    },
  };
}

function rest(busyMs: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, busyMs * restFactor).unref());
}

/**
 * Returns a function that returns whether a figure has fallen by this much from its highest value since the last such
 * fall.
 */
function watchFall(by: number): (figure: number) => boolean {
  let highest = 0;
  return (figure) => {
    const hasFallen = figure < highest - by;
    highest = hasFallen ? figure : Math.max(highest, figure);
    return hasFallen;
  };
}
