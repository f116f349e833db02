/** Groups of children that this process started and has not seen end. */
const liveGroups = new Set<number>();
let guarded = false;

/**
 * Remembers the process group of a detached child, so that it is killed should this process exit without closing it.
 * (A kill -9 of this process cannot be caught: the child then sees its stdin end.)
 */
export function guardGroup(pid: number): void {
  liveGroups.add(pid);
  if (guarded) return;
  guarded = true;
  process.on('exit', () => {
    for (const group of liveGroups) signalGroup(group, 'SIGKILL');
  });
}

/** Ends what is left of a group whose leader has exited: a server's own children must not outlive it. */
export function endGroup(pid: number): void {
  signalGroup(pid, 'SIGKILL');
  liveGroups.delete(pid);
}

/** Signals every process of the group; one that is gone already is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // EPERM: on macOS a group of zombies alone answers so
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
