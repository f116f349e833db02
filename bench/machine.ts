import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

/** Program of util-linux, optional. */
const tasksetProgram = 'taskset';

/** Cores of the driver with the upstream, and of the measured program with its database. */
export type Pinning = { driverCore: number; gatewayCore: number };

/** Chooses two of the cores that this process may use; undefined without two cores or without `taskset`. */
export function planPinning(): Pinning | undefined {
  if (spawnSync(tasksetProgram, ['--version'], { stdio: 'ignore' }).status !== 0) return undefined;
  const [driverCore, gatewayCore] = allowedCores();
  return driverCore === undefined || gatewayCore === undefined ? undefined : { driverCore, gatewayCore };
}

/** Moves this process, all its threads and its future children to one core. */
export function pinSelf(core: number): void {
  const { status, stderr } = spawnSync(tasksetProgram, ['-acp', String(core), String(process.pid)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`taskset: ${stderr}`);
}

/** Reads a list such as "0-3,8" from /proc/self/status. */
function allowedCores(): number[] {
  let status: string;
  try {
    status = readFileSync('/proc/self/status', 'utf8');
  } catch {
    return [];
  }
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

const loopSteps = 20_000_000;

/**
 * Returns million steps per second of a fixed integer loop on this core. Only runs with similar values are comparable.
 */
export function measureCoreSpeed(): number {
  const start = performance.now();
  let state = 2_463_534_242;
  for (let step = 0; step < loopSteps; step++) {
    // xorshift32 (Marsaglia 2003): a loop that the compiler cannot optimize away
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  const elapsedMs = performance.now() - start;
  if (state === 0) throw new Error('xorshift never reaches 0');
  return Math.round(loopSteps / elapsedMs / 1000);
}

export function describeMachine() {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
  };
}

/** Returns the load average of the last minute. Above 1 before the run, other programs are using the machine. */
export function loadAverage(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}
