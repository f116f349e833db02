import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachinePart } from '../../apps/broker/src/testing/figures/limits.ts';

/** Milliseconds on the reference machine, for which the limits were set. */
const usualMs = { processor: 20, start: 40, disk: 2 };

/** Returns how many times slower this machine is than the reference machine; at least 1. */
export function calibrate(): Record<Exclude<MachinePart, 'none'>, number> {
  return {
    processor: slowness(usualMs.processor, plainWork),
    start: slowness(usualMs.start, startProcess),
    disk: slowness(usualMs.disk, writeToDisk),
  };
}

/** Measures slowness by the median of several runs, which ignores outliers. */
function slowness(usual: number, act: () => void): number {
  const times = Array.from({ length: 9 }, () => {
    const begun = performance.now();
    act();
    return performance.now() - begun;
  });
  const median = times.toSorted((one, other) => one - other)[4] ?? usual;
  return Math.max(1, median / usual);
}

function plainWork(): number {
  let sum = 0;
  for (let at = 0; at < 5_000_000; at++) sum = (sum * 31 + at) | 0;
  return sum;
}

function startProcess(): void {
  spawnSync(process.execPath, ['-e', '0']);
}

function writeToDisk(): void {
  const folder = mkdtempSync(join(tmpdir(), 'souk-disk-'));
  const file = openSync(join(folder, 'page'), 'w');
  writeSync(file, Buffer.alloc(8192));
  fsyncSync(file);
  closeSync(file);
  rmSync(folder, { recursive: true });
}
