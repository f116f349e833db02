import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

/** Programs that a run started. Each leads a process group, which ends with it. */
export class Processes {
  readonly #running = new Set<ChildProcess>();

  start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const child = spawn(command, args, { ...options, detached: true });
    this.#running.add(child);
    child.on('error', () => this.#running.delete(child));
    child.on('exit', () => {
      killGroup(child);
      this.#running.delete(child);
    });
    return child;
  }

  async end(child: ChildProcess): Promise<void> {
    if (!this.#running.has(child)) return;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    killGroup(child);
    await exit;
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.end(child)));
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // the group has ended
  }
}
