import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Counts the processor time of a process and of everything it starts from now on, including browsers and processes that have
 * ended, by means of a control group.
 * @returns a function that ends the count and returns the seconds; undefined if no group can be created
 */
export function countProcessorTime(pid: number): () => number | undefined {
  const group = makeGroup(pid);
  return () => {
    if (!group) return undefined;
    const seconds = group.readSeconds();
    try {
      rmdirSync(group.folder);
    } catch {
      // a process of the step is still running; the group remains until a reboot
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
      // hierarchy missing or not writable
    }
  }
  return undefined;
}

/** Returns the groups of this process from /proc/self/cgroup (`man 7 cgroups`): `0::/path` is version 2. */
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
