import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '#platform/log.ts';
import { UpstreamError } from '../upstream-error.ts';

/** A program and everything that it may access. */
export type ProgramCommand = {
  argv: readonly [string, ...string[]];
  /** Its own folder, the only one that it may write to. */
  cwd: string;
  /** Its whole environment. */
  env: Record<string, string>;
  /** Files and folders that it may read besides the system's. */
  reads: readonly string[];
};

export type Sandbox = {
  /**
   * Returns the command that runs the program in the sandbox.
   * @throws UpstreamError no_sandbox where a program may not run without one
   */
  wrap(command: ProgramCommand): Omit<ProgramCommand, 'reads'>;
};

/** The system folders that programs need. They contain no data of ours, and the program sees no others. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ssl'];
const systemFiles = ['/etc/ld.so.cache', '/etc/localtime', '/etc/nsswitch.conf'];
const limits = ['--core=0', '--nofile=1024', '--nproc=4096', `--fsize=${256 * 1024 * 1024}`];
/** Size limit of each in-memory file system. */
const maxScratchBytes = 64 * 1024 * 1024;
const isolation = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--proc', '/proc', '--dev', '/dev'];
const scratch = ['/tmp', '/dev/shm'].flatMap((folder) => ['--size', String(maxScratchBytes), '--tmpfs', folder]);
const probeTimeoutMs = 5_000;

/** For installations that run no programs. */
export const noPrograms: Sandbox = {
  wrap() {
    throw new UpstreamError('no_sandbox', 'programs are switched off');
  },
};

/**
 * The sandbox of this machine: bubblewrap with a private process table, no network (the host's would reach every local
 * port), a read-only system and one writable folder; `prlimit` limits the resources of each process.
 * Tested once, here. Where it does not work, production refuses all programs and logs why; elsewhere programs run without
 * a sandbox.
 */
export async function openSandbox(options: {
  required: boolean;
  log: Log;
  /** Where to look for bwrap and prlimit. Not our PATH, which could include a folder that others can write to. */
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

/** Runs a program in the sandbox. @returns why it does not work; undefined when it does */
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
    // scratch mounts come first: a readable path can lie under /tmp, and a later mount covers an earlier one
    argv: [bwrap, ...isolation, ...scratch, ...readable, ...own, '--', prlimit, ...limits, '--', ...argv],
    cwd,
    // the program can read bwrap's environment in /proc, so bwrap gets the program's environment and no more
    env,
  };
}

function findProgram(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
