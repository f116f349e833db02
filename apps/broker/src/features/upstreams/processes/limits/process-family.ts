import { readdirSync, readFileSync } from 'node:fs';

/** A process, and those that it and they started. */
export type ProcessFamily = {
  pids: number[];
  /** Processes and threads: more than asked for where the count ended early. */
  tasks: number;
};

/**
 * Reads it from /proc, which says nothing on macOS: then it is empty. A child is listed at the thread that started it. In
 * the sandbox nobody leaves the family: an orphan becomes a child of the sandbox's first process, which is one of it.
 * @param maxTasks where to stop
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

/** Empty when the process has ended or is not ours to look into. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Likewise. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
