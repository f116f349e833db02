const liveGroups = new Set<number>();
let guarded = false;

/**
 * Kills the process group of a detached child if this process exits without closing it. A kill -9 of this process cannot be
 * caught: then the child's stdin ends.
 */
export function guardGroup(pid: number): void {
  liveGroups.add(pid);
  if (guarded) return;
  guarded = true;
  process.on('exit', () => {
    for (const group of liveGroups) signalGroup(group, 'SIGKILL');
  });
}

/** Kills the rest of a group whose leader has exited: a server's children must not outlive it. */
export function endGroup(pid: number): void {
  signalGroup(pid, 'SIGKILL');
  liveGroups.delete(pid);
}

/** Signals every process of the group. Ignores a group that has ended. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // EPERM: what macOS reports for a group with only zombies
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
