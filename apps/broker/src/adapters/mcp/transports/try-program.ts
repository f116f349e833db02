import { spawn } from 'node:child_process';
import { whenStarted } from '#platform/when-started.ts';
import { endGroup, guardGroup, signalGroup } from './process-group.ts';

const maxStderrCharacters = 16_384;

/**
 * Runs a program to its end, and then ends what it left behind: pasta leaves a process that waits forever if it cannot open
 * a tun device.
 * @returns undefined if it succeeded; otherwise what it wrote to stderr, or why it could not be started
 */
export async function tryProgram(
  { argv: [program, ...args], cwd, env }: { argv: readonly [string, ...string[]]; cwd: string; env: NodeJS.ProcessEnv },
  timeoutMs: number,
): Promise<string | undefined> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const failure = await whenStarted(child).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (failure !== undefined) return failure;
  const { pid } = child;
  if (pid !== undefined) guardGroup(pid);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < maxStderrCharacters) stderr += text;
  });
  const timer = setTimeout(() => {
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    // a process that left the group may keep it open forever
    child.stderr.destroy();
  }, timeoutMs);
  return new Promise((resolve) => {
    // processes that are left may keep stderr open: `close` comes once they have ended
    child.once('exit', () => pid !== undefined && endGroup(pid));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? undefined : stderr);
    });
  });
}
