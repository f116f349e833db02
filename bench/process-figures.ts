import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Linux reports process times in hundredths of a second (proc(5), USER_HZ). */
const tickMs = 10;

type Stat = { parent: number; ownMs: number; reapedMs: number };

/** Returns the CPU milliseconds of a process with all its threads; undefined without /proc. */
export function cpuMsOf(pid: number): number | undefined {
  return readStat(pid)?.ownMs;
}

/** Returns the CPU milliseconds of all descendants of a process, including ended ones. */
export function cpuMsOfDescendants(pid: number): number {
  const stats = new Map<number, Stat>();
  for (const name of listProcesses()) {
    const stat = readStat(name);
    if (stat) stats.set(name, stat);
  }
  const total = (parent: number): number => {
    let ms = 0;
    for (const [child, stat] of stats) if (stat.parent === parent) ms += stat.ownMs + stat.reapedMs + total(child);
    return ms;
  };
  return total(pid);
}

/** Returns the peak resident memory of a process in MB since its start or forgetPeakMemory; undefined without /proc. */
export function peakMemoryMbOf(pid: number): number | undefined {
  return memoryMbOf(pid, 'VmHWM');
}

/** Returns the resident memory of a process in MB; undefined without /proc. */
export function residentMemoryMbOf(pid: number): number | undefined {
  return memoryMbOf(pid, 'VmRSS');
}

function memoryMbOf(pid: number, field: 'VmHWM' | 'VmRSS'): number | undefined {
  const line = tryRead(`/proc/${pid}/status`)
    ?.split('\n')
    .find((text) => text.startsWith(`${field}:`));
  return line === undefined ? undefined : Math.round(Number.parseInt(line.slice(field.length + 1), 10) / 1024);
}

/** Resets peakMemoryMbOf (proc(5), clear_refs). If refused, the peak remains that of the whole run. */
export function forgetPeakMemory(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // not Linux, or not allowed
  }
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Reads fields 4 and 14 to 17 of proc(5) stat; the name in field 2 may contain blanks and brackets. */
function readStat(pid: number): Stat | undefined {
  const text = tryRead(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const field = (number: number) => fields[number - 3] ?? 0;
  return { parent: field(4), ownMs: (field(14) + field(15)) * tickMs, reapedMs: (field(16) + field(17)) * tickMs };
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // it ended, or there is no /proc
  }
}
