import type { ChildProcess } from 'node:child_process';

/**
 * Waits until a program runs. Called right after `spawn`, before anything of the child is used: where no file descriptor is
 * left, Node makes a child without pipes and tells of it in a later turn.
 * @throws why the program cannot be started. Later errors of the child are only for those who listen.
 */
export function whenStarted(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => child.once('spawn', resolve).on('error', reject));
}
