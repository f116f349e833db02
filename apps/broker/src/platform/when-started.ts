import type { ChildProcess } from 'node:child_process';

/**
 * Waits until a program runs. Call it right after `spawn`, before using the child: if no file descriptor is left, Node makes
 * a child without pipes and reports the error later.
 * @throws why the program cannot be started. Later errors of the child only reach its own listeners.
 */
export function whenStarted(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => child.once('spawn', resolve).on('error', reject));
}
