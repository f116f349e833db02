import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Counts the processor time of a process and of everything it starts from now on, browsers included: a control group adds it
 * up, also for processes that have ended.
 * @returns a function that gives the seconds so far, and ends the count; undefined where no group can be made
 */
export function countProcessorTime(pid: number): () => number | undefined {
  const group = makeGroup(pid);
  return () => {
    if (!group) return undefined;
    const seconds = group.readSeconds();
    try {
      rmdirSync(group.folder);
    } catch {
      // something of the step still runs; the group goes with the machine
    }
    return seconds;
  };
}

type Group = { folder: string; readSeconds(): number };

function makeGroup(pid: number): Group | undefined {
  for (const { parent, readSeconds } of parents()) {
    const folder = join(parent, `souk-${pid}`);
    try {
      if (!existsSync(join(parent, 'cgroup.procs'))) continue;
      mkdirSync(folder);
      writeFileSync(join(folder, 'cgroup.procs'), String(pid));
      return { folder, readSeconds: () => readSeconds(folder) };
    } catch {
      // no such hierarchy here, or no right to it
    }
  }
  return undefined;
}

/** The groups of this process, as `man 7 cgroups` describes /proc/self/cgroup: `0::/path` is version 2. */
function parents(): { parent: string; readSeconds(folder: string): number }[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  return lines.flatMap((line) => {
    const [number, controllers = '', path = ''] = line.split(':');
    if (number === '0') return [{ parent: join('/sys/fs/cgroup', path), readSeconds: readVersion2 }];
    if (!controllers.split(',').includes('cpuacct')) return [];
    return [{ parent: join('/sys/fs/cgroup/cpuacct', path), readSeconds: readVersion1 }];
  });
}

function readVersion2(folder: string): number {
  const [, microseconds] = /^usage_usec (\d+)$/m.exec(readFileSync(join(folder, 'cpu.stat'), 'utf8')) ?? [];
  return Number(microseconds) / 1e6;
}

function readVersion1(folder: string): number {
  return Number(readFileSync(join(folder, 'cpuacct.usage'), 'utf8')) / 1e9;
}
