import { existsSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Log } from '#platform/log.ts';
import { UpstreamError } from '../upstream-error.ts';
import { inPublicNetwork, networkTools, publicNetworkOptions, type NetworkTools } from './public-network.ts';
import { tryProgram } from './try-program.ts';

export type ProgramCommand = {
  argv: readonly [string, ...string[]];
  /** The program's own folder, the only one that it may write to. */
  cwd: string;
  env: Record<string, string>;
  /** Files and folders that it may read in addition to the system's. */
  reads: readonly string[];
  /** `true`: only public addresses. `host`: everything that this machine can reach, including itself. */
  network: boolean | 'host';
};

export type Launch = Pick<ProgramCommand, 'argv' | 'cwd' | 'env'>;

export type Sandbox = {
  /** Whether programs run confined, not just as the broker's user. */
  readonly confines: boolean;
  /**
   * Returns the command that runs the program in the sandbox.
   * @throws UpstreamError no_sandbox if programs may not run without one; no_network if it wants a network that cannot be
   *   made here
   */
  wrap(command: ProgramCommand): Launch;
};

/** The system folders that programs need. They contain no data of ours, and the program sees no others. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ssl'];
const systemFiles = ['/etc/ld.so.cache', '/etc/localtime', '/etc/nsswitch.conf'];
/** The files with which a program on the machine's own network resolves names. */
const hostFiles = ['/etc/resolv.conf', '/etc/hosts'];
const limits = ['--core=0', '--nofile=1024'];
/** Processes and threads of one sandbox. A kernel before 5.14 counts those of a user on the whole machine. */
const maxTasks = atLeast(release(), 5, 14) ? 256 : 4096;
/** In-memory folders that a program may write to. */
export const scratchFolders = ['/tmp', '/dev/shm'];
export const maxScratchBytes = 64 * 1024 * 1024;
/** Makes the kernel end programs first, not the broker, when the machine runs out of memory. */
const oomScore = '1000';
const isolation = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--proc', '/proc', '--dev', '/dev'];
const scratch = scratchFolders.flatMap((folder) => ['--size', String(maxScratchBytes), '--tmpfs', folder]);
/** Limit for a probe that hangs. Its result is kept until the broker ends, so a busy machine gets enough time. */
const probeTimeoutMs = 60_000;

type ProcessLimits = {
  fileBytes: number;
  /** Memory that it may request. More than it may use, because stacks and reserves count. */
  dataBytes: number;
};
const defaultLimits: ProcessLimits = { fileBytes: 256 * 1024 * 1024, dataBytes: 2560 * 1024 * 1024 };

export const noPrograms: Sandbox = {
  confines: false,
  wrap() {
    throw new UpstreamError('no_sandbox', 'programs are switched off');
  },
};

/**
 * Opens the sandbox of this machine: bubblewrap with a private process table, no network (the host's would reach every local
 * port), a read-only system and one writable folder; `prlimit` limits the resources of each process. A program that may use
 * the network gets its own, made by pasta.
 * The sandbox is tested once, here. If it does not work, production refuses all programs and logs why; otherwise programs run
 * without a sandbox. Programs that want their own network are always refused if it cannot be made.
 */
export async function openSandbox(options: {
  required: boolean;
  network?: boolean;
  limits?: ProcessLimits;
  log: Log;
  /** Where to look for bwrap and the other tools. Not our PATH, which could include a folder that others may write to. */
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
      log.error(`programs (stdio servers) are refused: production runs them only in bubblewrap, and ${problem}`);
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

/** Commands that have worked in this process: a machine does not lose its sandbox, and starting a program is expensive. */
const worked = new Set<string>();

/** Runs a program in the sandbox. @returns why that does not work; undefined if it does */
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
  // bubblewrap's /dev is also an in-memory file system, of half the machine's memory
  const own = ['--bind', cwd, cwd, '--remount-ro', '/', '--remount-ro', '/dev', '--chdir', cwd];
  // scratch mounts come first: a readable path can lie under /tmp, and a later mount covers an earlier one
  const options = [...isolation, ...outside, ...scratch, ...readable, ...own];
  const program = withLimits([...limited, `--nproc=${maxTasks}`], argv);
  const sandboxed = [bwrap, ...options, ...asOurselves(network), '--', ...program] as const;
  return {
    argv: network === true && tools ? inPublicNetwork(sandboxed, tools) : [...sandboxed],
    cwd,
    // the program can read bwrap's environment in /proc, so bwrap only gets the program's environment
    env,
  };
}

function withLimits(limited: readonly string[], argv: readonly string[]): [string, ...string[]] {
  const [first = 'prlimit', ...rest] = limited;
  return [first, ...rest, '--', ...argv];
}

function atLeast(version: string, major: number, minor: number): boolean {
  const [ofMajor = 0, ofMinor = 0] = version.split('.').map((part) => Number.parseInt(part));
  return ofMajor > major || (ofMajor === major && ofMinor >= minor);
}

/** Keeps our user inside: pasta runs bubblewrap as root of a namespace, and a program must not appear to be root. */
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
