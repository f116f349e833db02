import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryProgram } from '#adapters/mcp/transports/try-program.ts';
import type { Log } from '#platform/log.ts';
import { namesIn } from './process-family.ts';
import { kernelShare, type ProgramLimits } from './program-limits.ts';

/** A kernel control group (cgroups(7)) for one program. The kernel limits the memory of all processes in it. */
export type MemoryGroup = {
  /** Prefix of a command that makes it start in the group. */
  enter: readonly [string, ...string[]];
  /** Returns whose limit made the kernel kill a process of the group; undefined if it killed none. */
  ended(): 'program' | 'owner' | undefined;
  close(): void;
};

/** A group per program, within one for all programs of its owner. */
export type MemoryGroups = { open(owner: string): MemoryGroup };

type MemoryLimits = Pick<ProgramLimits, 'memoryBytes' | 'personMemoryBytes'>;
type Files = { limit: string; swap: string; swapLimit: (bytes: number) => number; events: string; peak: string };
const version2: Files = {
  limit: 'memory.max',
  swap: 'memory.swap.max',
  swapLimit: () => 0,
  events: 'memory.events',
  peak: 'memory.peak',
};
const version1: Files = {
  limit: 'memory.limit_in_bytes',
  swap: 'memory.memsw.limit_in_bytes',
  swapLimit: (bytes) => bytes,
  events: 'memory.oom_control',
  peak: 'memory.max_usage_in_bytes',
};

const enterScript = 'echo 0 > "$0" && exec "$@"';
/** Deadline of a probe that hangs: see sandbox.ts. */
const probeTimeoutMs = 60_000;
/** Margin below a group's limit: the kernel charges memory in batches, and may kill a process a little earlier. */
const chargedAheadBytes = 4 * 1024 * 1024;
/** Attempts to remove a group that the kernel still keeps: for 10 s. */
const removalAttempts = 40;
const removalPauseMs = 250;
/** Names of our groups. Other groups in the same place are not touched. */
const ownerNames = /^souk-[0-9a-f]{32}$/u;
const programNames = /^souk-(\d{1,10})-\d{1,15}$/u;

/**
 * Opens the control group of programs. Returns undefined if there is no usable one, and logs that only the broker
 * limits their memory.
 */
export async function openMemoryGroups(options: {
  /** A control group that the broker's user may write to. */
  cgroup: string | undefined;
  limits: MemoryLimits;
  log: Log;
}): Promise<MemoryGroups | undefined> {
  const { cgroup, limits, log } = options;
  if (cgroup === undefined) return undefined;
  const problem = await memoryGroupsProblem(cgroup, limits);
  if (problem === undefined) return createMemoryGroups(cgroup, limits);
  log.error(`${problem}: only the broker limits the memory of programs`);
  return undefined;
}

/** Runs a program in a group. @returns why that failed, in words for the operator; undefined if it worked */
export async function memoryGroupsProblem(cgroup: string, limits: MemoryLimits): Promise<string | undefined> {
  try {
    const group = createMemoryGroups(cgroup, limits).open('probe');
    const argv = [...group.enter, 'true'] as const;
    const stderr = await tryProgram({ argv, cwd: '/', env: { PATH: '/usr/bin:/bin' } }, probeTimeoutMs);
    group.close();
    if (stderr !== undefined) throw new Error(stderr.trim().split('\n')[0]);
    return undefined;
  } catch (error) {
    return `PROGRAMS_CGROUP cannot be used (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** @throws Error when there is no such control group, or the kernel's files cannot be written */
export function createMemoryGroups(cgroup: string, limits: MemoryLimits): MemoryGroups {
  const isVersion2 = existsSync(join(cgroup, 'cgroup.controllers'));
  const files = isVersion2 ? version2 : version1;
  /** Groups in use. A program that is about to start is not in its group yet. */
  const open = new Set<string>();
  let opened = 0;
  if (!existsSync(join(cgroup, 'cgroup.procs'))) throw new Error(`${cgroup} is not a control group`);
  sweep(cgroup, open);

  let retryTimer: NodeJS.Timeout | undefined;

  /** Retries later while the kernel still ends processes in a group. */
  function removeEnded(attempt = 1): void {
    clearTimeout(retryTimer);
    if (sweep(cgroup, open) || attempt === removalAttempts) return;
    retryTimer = setTimeout(() => removeEnded(attempt + 1), removalPauseMs).unref();
  }

  function limit(group: string, bytes: number): void {
    const most = Math.ceil(bytes * kernelShare);
    writeFileSync(join(group, files.limit), String(most));
    const swap = join(group, files.swap);
    if (existsSync(swap)) writeFileSync(swap, String(files.swapLimit(most)));
    const whole = join(group, 'memory.oom.group');
    if (existsSync(whole)) writeFileSync(whole, '1');
  }

  function make(owner: string): string {
    const ownerGroup = join(cgroup, nameOf(owner));
    if (isVersion2) writeFileSync(join(cgroup, 'cgroup.subtree_control'), '+memory');
    if (!existsSync(ownerGroup)) mkdirSync(ownerGroup);
    const group = join(ownerGroup, `souk-${process.pid}-${++opened}`);
    if (isVersion2) writeFileSync(join(ownerGroup, 'cgroup.subtree_control'), '+memory');
    mkdirSync(group);
    if (!existsSync(join(group, files.limit))) throw new Error(`${cgroup} does not limit memory`);
    limit(group, limits.memoryBytes);
    limit(ownerGroup, limits.personMemoryBytes);
    return group;
  }

  return {
    open(owner) {
      const group = make(owner);
      open.add(group);
      return {
        enter: ['/bin/sh', '-c', enterScript, join(group, 'cgroup.procs')],
        ended() {
          if (!/^oom_kill [1-9]/mu.test(readFileSync(join(group, files.events), 'utf8'))) return undefined;
          const peak = Number(readFileSync(join(group, files.peak), 'utf8'));
          return peak >= limits.memoryBytes * kernelShare - chargedAheadBytes ? 'program' : 'owner';
        },
        close() {
          open.delete(group);
          removeEnded();
        },
      };
    },
  };
}

/**
 * Removes the groups of ended programs, including those of killed brokers.
 * @returns false when the kernel still keeps one of them
 */
function sweep(cgroup: string, open: ReadonlySet<string>): boolean {
  let isClean = true;
  for (const owner of namesIn(cgroup).filter((name) => ownerNames.test(name))) {
    const ownerGroup = join(cgroup, owner);
    for (const name of namesIn(ownerGroup)) {
      const [, pid] = programNames.exec(name) ?? [];
      if (pid === undefined) continue;
      const isLeft = Number(pid) === process.pid ? !open.has(join(ownerGroup, name)) : !existsSync(`/proc/${pid}`);
      if (isLeft && !removeEmpty(join(ownerGroup, name))) isClean = false;
    }
    removeEmpty(ownerGroup);
  }
  return isClean;
}

/** Removes a group. @returns false when the kernel refuses because a process still runs in it or below */
function removeEmpty(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EBUSY' || code === 'ENOTEMPTY') return false;
    if (code !== 'ENOENT') throw error;
    return true;
  }
}

function nameOf(owner: string): string {
  return `souk-${createHash('sha256').update(owner).digest('hex').slice(0, 32)}`;
}
