import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** A control group for memory, of either version, below the one of this process. */
export type TestCgroup = { path: string; remove(): void };

/** @returns undefined if this machine does not allow one: a container without one, an ordinary user, macOS */
export function makeCgroup(): TestCgroup | undefined {
  for (const [root, of, file] of [
    ['/sys/fs/cgroup/memory', /^\d+:memory:(?<path>.*)$/mu, 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', /^0::(?<path>.*)$/mu, 'memory.max'],
  ] as const) {
    try {
      const parent = join(root, of.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.groups?.['path'] ?? '');
      const path = mkdtempSync(join(parent, 'souk-test-'));
      // a group below it shows whether programs can be limited in it
      const below = join(path, 'below');
      mkdirSync(below);
      const isForMemory = existsSync(join(below, file));
      rmdirSync(below);
      if (isForMemory) return { path, remove: () => rmdirSync(path) };
      rmdirSync(path);
    } catch {
      // not available here
    }
  }
  return undefined;
}
