import { readdirSync, readFileSync } from 'node:fs';

/** A process and all its descendants. */
export type ProcessFamily = {
  pids: number[];
  /** Processes and threads; above `maxTasks` if the count ended early. */
  tasks: number;
};

/**
 * Reads a process family from /proc; empty on macOS, which has none. The kernel lists a child under the thread that
 * started it. No process of a sandbox can leave the family, because an orphan becomes a child of the sandbox's first
 * process.
 * @param maxTasks number at which counting stops
 */
export function familyOf(root: number, maxTasks: number): ProcessFamily {
  const pids: number[] = [];
  let tasks = 0;
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined && tasks <= maxTasks; pid = waiting.pop()) {
    const threads = namesIn(`/proc/${pid}/task`);
    if (threads.length === 0) continue;
    pids.push(pid);
    tasks += threads.length;
    if (tasks > maxTasks) break;
    for (const thread of threads) {
      const children = textOf(`/proc/${pid}/task/${thread}/children`);
      for (const child of children.split(' ')) if (child !== '') waiting.push(Number(child));
    }
  }
  return { pids, tasks };
}

/** Returns no names when the process has ended or must not be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns '' when the process has ended or must not be read. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
