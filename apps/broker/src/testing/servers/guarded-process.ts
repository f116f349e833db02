import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

export type GuardedOptions = { cwd: string; env?: NodeJS.ProcessEnv; uid?: number; gid?: number };

export type GuardedProcess = {
  readonly child: ChildProcess;
  /** Returns the end of what it wrote to standard error. */
  errors(): string;
  stop(): Promise<void>;
};

/**
 * Runs a server that ends when our end of its standard input closes, so that none is left when the tests are killed:
 * the kernel closes it however we end.
 * @param signal signal that ends it
 */
export function spawnGuarded(command: string[], options: GuardedOptions, signal: 'QUIT' | 'TERM'): GuardedProcess {
  const script = `exec 3<&0; "$@" <&- & pid=$!; (while read -r _ <&3; do :; done; kill -${signal} $pid) & wait $pid`;
  const child = spawn('/bin/bash', ['-c', script, 'guard', ...command], {
    ...options,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  return {
    child,
    errors: collectErrors(child),
    async stop() {
      child.stdin?.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Runs a program to its end. @throws with its output if it failed */
export async function runTool(command: readonly string[], options: GuardedOptions): Promise<void> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const errors = collectErrors(child);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} failed: ${errors()}`);
}

function collectErrors(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-2000);
  });
  return () => text;
}

/**
 * Returns the user for servers that refuse to run as root: the first that exists of `postgres` and the system's
 * unprivileged user.
 */
export async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find(([first]) => first === name);
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error('this server does not run as root, and there is neither a user postgres nor nobody');
}
