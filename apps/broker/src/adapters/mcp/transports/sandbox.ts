import { existsSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Log } from '#platform/log.ts';
import { UpstreamError } from '../upstream-error.ts';
import { inPublicNetwork, networkTools, publicNetworkOptions, type NetworkTools } from './public-network.ts';
import { tryProgram } from './try-program.ts';

/** A program and everything that it may access. */
export type ProgramCommand = {
  argv: readonly [string, ...string[]];
  /** Its own folder, the only one that it may write to. */
  cwd: string;
  /** Its whole environment. */
  env: Record<string, string>;
  /** Files and folders that it may read besides the system's. */
  reads: readonly string[];
  /** `true`: public addresses alone. `host`: everything that this machine can reach, itself included. */
  network: boolean | 'host';
};

/** How to start a program. */
export type Launch = Pick<ProgramCommand, 'argv' | 'cwd' | 'env'>;

export type Sandbox = {
  /** Whether programs run confined here, rather than as the broker's own user. */
  readonly confines: boolean;
  /**
   * Returns the command that runs the program in the sandbox.
   * @throws UpstreamError no_sandbox where a program may not run without one; no_network where it wants a network that
   *   cannot be made here
   */
  wrap(command: ProgramCommand): Launch;
};

/** The system folders that programs need. They contain no data of ours, and the program sees no others. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ssl'];
const systemFiles = ['/etc/ld.so.cache', '/etc/localtime', '/etc/nsswitch.conf'];
/** What a program on the machine's own network finds names with. */
const hostFiles = ['/etc/resolv.conf', '/etc/hosts'];
const limits = ['--core=0', '--nofile=1024'];
/** Processes and threads of one sandbox, which a kernel before 5.14 counts over the whole machine by user. */
const maxTasks = atLeast(release(), 5, 14) ? 256 : 4096;
/** Where a program may write in memory. */
export const scratchFolders = ['/tmp', '/dev/shm'];
/** Size limit of each in-memory file system. */
export const maxScratchBytes = 64 * 1024 * 1024;
/** The first that the kernel ends when the machine has no memory left: never the broker. */
const oomScore = '1000';
const isolation = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--proc', '/proc', '--dev', '/dev'];
const scratch = scratchFolders.flatMap((folder) => ['--size', String(maxScratchBytes), '--tmpfs', folder]);
/** For a probe that hangs. Its answer holds until the broker ends, so a busy machine gets the time that it needs. */
const probeTimeoutMs = 60_000;

/** The kernel holds each process to these. */
export type ProcessLimits = {
  /** The largest file. */
  fileBytes: number;
  /** Memory that it may ask for: more than it may use, since stacks and reserves count here. */
  dataBytes: number;
};
const defaultLimits: ProcessLimits = { fileBytes: 256 * 1024 * 1024, dataBytes: 2560 * 1024 * 1024 };

/** For installations that run no programs. */
export const noPrograms: Sandbox = {
  confines: false,
  wrap() {
    throw new UpstreamError('no_sandbox', 'programs are switched off');
  },
};

/**
 * The sandbox of this machine: bubblewrap with a private process table, no network (the host's would reach every local
 * port), a read-only system and one writable folder; `prlimit` limits the resources of each process. A program that may
 * have the network gets one of its own, made by pasta.
 * Tested once, here. Where it does not work, production refuses all programs and logs why; elsewhere programs run without
 * a sandbox. Programs that want a network of their own are refused everywhere where it cannot be made.
 */
export async function openSandbox(options: {
  required: boolean;
  /** Whether any program here wants a network of its own. */
  network?: boolean;
  limits?: ProcessLimits;
  log: Log;
  /** Where to look for bwrap and the other tools. Not our PATH, which could include a folder that others can write to. */
  searchPath?: string;
}): Promise<Sandbox> {
  const {
    required,
    log,
    limits: bounds = defaultLimits,
    searchPath = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  } = options;
  const bwrap = findProgram('bwrap', searchPath);
  const prlimit = findProgram('prlimit', searchPath);
  const choom = findProgram('choom', searchPath);
  const tools = findNetworkTools(searchPath);
  const limited = [
    ...(choom ? [choom, '-n', oomScore, '--'] : []),
    prlimit ?? 'prlimit',
    ...limits,
    `--fsize=${bounds.fileBytes}`,
    `--data=${bounds.dataBytes}`,
  ];
  const confined = (command: ProgramCommand) => confine(command, bwrap ?? 'bwrap', limited, tools.found);
  const problem = !bwrap
    ? 'bwrap is not installed'
    : !prlimit
      ? 'prlimit is not installed'
      : await tryOut(confined, 'bwrap', false);
  const networkProblem = problem ?? tools.problem ?? (options.network && (await tryOut(confined, 'pasta', true)));
  if (options.network && networkProblem) {
    log.error(`programs with "network": true are refused: ${networkProblem}`);
  }
  if (problem !== undefined) {
    if (required) {
      log.error(`programs (stdio servers) are refused: production runs them in bubblewrap alone, and ${problem}`);
    } else log.warn(`programs (stdio servers) run without a sandbox: ${problem}`);
  }
  return {
    confines: problem === undefined,
    wrap(command) {
      if (problem !== undefined && required) throw new UpstreamError('no_sandbox', problem);
      if (command.network === true && networkProblem) throw new UpstreamError('no_network', networkProblem);
      if (problem === undefined) return confined(command);
      const { argv, cwd, env } = command;
      return { argv: prlimit ? withLimits(limited, argv) : argv, cwd, env };
    },
  };
}

/** What has worked in this process, by its command: a machine does not lose its sandbox, and a start of a program is dear. */
const worked = new Set<string>();

/** Runs a program in the sandbox. @returns why it does not work; undefined when it does */
async function tryOut(wrap: Sandbox['wrap'], name: string, network: boolean): Promise<string | undefined> {
  const probe = { cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' }, reads: [], network };
  const { argv, cwd, env } = wrap({ argv: ['true'], ...probe });
  const command = argv.join(' ');
  if (worked.has(command)) return undefined;
  const stderr = await tryProgram({ argv, cwd, env }, probeTimeoutMs);
  if (stderr === undefined) {
    worked.add(command);
    return undefined;
  }
  const lines = stderr.split('\n').map((line) => line.trim());
  const reason = lines.find((line) => line !== '' && !line.includes('syslog')) ?? 'it cannot be started';
  return `${name} does not work here (${reason})`;
}

function confine(
  { argv, cwd, env, reads, network }: ProgramCommand,
  bwrap: string,
  limited: readonly string[],
  tools: NetworkTools | undefined,
): Launch {
  const shared = network === 'host' ? hostFiles : [];
  const readable = [...systemFolders, ...systemFiles, ...shared, ...reads].flatMap((path) => [
    '--ro-bind-try',
    path,
    path,
  ]);
  const outside = network === 'host' ? ['--share-net'] : network ? publicNetworkOptions : [];
  // bubblewrap's /dev is a file system in memory too, of half the machine's
  const own = ['--bind', cwd, cwd, '--remount-ro', '/', '--remount-ro', '/dev', '--chdir', cwd];
  // scratch mounts come first: a readable path can lie under /tmp, and a later mount covers an earlier one
  const options = [...isolation, ...outside, ...scratch, ...readable, ...own];
  const program = withLimits([...limited, `--nproc=${maxTasks}`], argv);
  const sandboxed = [bwrap, ...options, ...asOurselves(network), '--', ...program] as const;
  return {
    argv: network === true && tools ? inPublicNetwork(sandboxed, tools) : [...sandboxed],
    cwd,
    // the program can read bwrap's environment in /proc, so bwrap gets the program's environment and no more
    env,
  };
}

function withLimits(limited: readonly string[], argv: readonly string[]): [string, ...string[]] {
  const [first = 'prlimit', ...rest] = limited;
  return [first, ...rest, '--', ...argv];
}

/** Whether a version of Linux is this one or newer. */
function atLeast(version: string, major: number, minor: number): boolean {
  const [ofMajor = 0, ofMinor = 0] = version.split('.').map((part) => Number.parseInt(part));
  return ofMajor > major || (ofMajor === major && ofMinor >= minor);
}

/** pasta runs bubblewrap as the root of a namespace, and a program that is no root should not believe to be it. */
function asOurselves(network: ProgramCommand['network']): string[] {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return network === true && uid !== undefined ? ['--uid', String(uid), '--gid', String(gid)] : [];
}

function findNetworkTools(searchPath: string): { found?: NetworkTools; problem?: string } {
  const found = networkTools.map((name) => findProgram(name, searchPath));
  const [pasta, ip, setpriv, unshare] = found;
  if (pasta && ip && setpriv && unshare) return { found: { pasta, ip, setpriv, unshare } };
  const missing = networkTools[found.indexOf(undefined)];
  return { problem: missing === 'pasta' ? 'pasta (package passt) is not installed' : `${missing} is not installed` };
}

function findProgram(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
