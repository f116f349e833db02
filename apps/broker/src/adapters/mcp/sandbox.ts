import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '#platform/log.ts';
import { UpstreamError } from './upstream-error.ts';

/** A program and everything that it may have. */
export type ProgramCommand = {
  argv: readonly [string, ...string[]];
  /** Its own folder, the only one that it may write in. */
  cwd: string;
  /** Its whole environment. */
  env: Record<string, string>;
  /** Files and folders besides the system's own that it may read. */
  reads: readonly string[];
};

export type Sandbox = {
  /**
   * The command that runs the program inside.
   * @throws UpstreamError no_sandbox where a program may not run without one
   */
  wrap(command: ProgramCommand): Omit<ProgramCommand, 'reads'>;
};

/** What programs are made of; nothing here is ours, and nothing outside of it is there. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ssl'];
const systemFiles = ['/etc/ld.so.cache', '/etc/localtime', '/etc/nsswitch.conf'];
const limits = ['--core=0', '--nofile=1024', '--nproc=4096', `--fsize=${256 * 1024 * 1024}`];
/** Files in memory. */
const maxScratchBytes = 64 * 1024 * 1024;
const isolation = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--proc', '/proc', '--dev', '/dev'];
const scratch = ['/tmp', '/dev/shm'].flatMap((folder) => ['--size', String(maxScratchBytes), '--tmpfs', folder]);
const probeTimeoutMs = 5_000;

/** Where no program is to run at all. */
export const noPrograms: Sandbox = {
  wrap() {
    throw new UpstreamError('no_sandbox', 'programs are switched off');
  },
};

/**
 * The sandbox of this machine: bubblewrap with a private process table, no network (a shared one reaches every local
 * port), a read-only system and one folder of its own to write in; `prlimit` for what one process may use up.
 * Tried once. Where it does not work, production runs no program at all and says why; else programs run as they are.
 */
export async function openSandbox(options: {
  required: boolean;
  log: Log;
  /** Where bwrap and prlimit are looked for. Not our PATH, which could name a folder that others write in. */
  searchPath?: string;
}): Promise<Sandbox> {
  const { required, log, searchPath = '/usr/local/bin:/usr/bin:/bin' } = options;
  const bwrap = findProgram('bwrap', searchPath);
  const prlimit = findProgram('prlimit', searchPath);
  const wrap = (command: ProgramCommand) =>
    confine(command, { bwrap: bwrap ?? 'bwrap', prlimit: prlimit ?? 'prlimit' });
  const problem = !bwrap ? 'bwrap is not installed' : !prlimit ? 'prlimit is not installed' : await tryOut(wrap);
  if (problem === undefined) return { wrap };
  if (required) {
    log.error(`programs (stdio servers) are refused: production runs them in bubblewrap alone, and ${problem}`);
    return {
      wrap() {
        throw new UpstreamError('no_sandbox', problem);
      },
    };
  }
  log.warn(`programs (stdio servers) run without a sandbox: ${problem}`);
  return { wrap: ({ argv, cwd, env }) => ({ argv, cwd, env }) };
}

/** @returns why it does not work; undefined when it does */
async function tryOut(wrap: Sandbox['wrap']): Promise<string | undefined> {
  const { argv, cwd, env } = wrap({ argv: ['true'], cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' }, reads: [] });
  const [program, ...args] = argv;
  try {
    await promisify(execFile)(program, args, { cwd, env, timeout: probeTimeoutMs });
    return undefined;
  } catch (error) {
    const stderr: unknown = error instanceof Error && 'stderr' in error ? error.stderr : '';
    return `bwrap does not work here (${String(stderr).trim().split('\n')[0] || 'it cannot be started'})`;
  }
}

function confine(
  { argv, cwd, env, reads }: ProgramCommand,
  { bwrap, prlimit }: { bwrap: string; prlimit: string },
): Omit<ProgramCommand, 'reads'> {
  const readable = [...systemFolders, ...systemFiles, ...reads].flatMap((path) => ['--ro-bind-try', path, path]);
  const own = ['--bind', cwd, cwd, '--remount-ro', '/', '--chdir', cwd];
  return {
    // the scratch first: what may be read can itself lie under /tmp, and a later mount covers an earlier one
    argv: [bwrap, ...isolation, ...scratch, ...readable, ...own, '--', prlimit, ...limits, '--', ...argv],
    cwd,
    // bwrap's own environment stands in /proc for the program to read: it must be no more than the program's
    env,
  };
}

function findProgram(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
