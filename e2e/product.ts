import { freePort } from '../apps/broker/src/testing/network/free-port.ts';
import { offersWithoutWelcome } from '../apps/broker/src/testing/people/offers-without-welcome.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFlags } from '../scripts/product-flags.ts';
import type { OtherUser } from './other-user.ts';

const root = join(import.meta.dirname, '..');
/** Ends a start that hangs. */
const readyDeadlineMs = 300_000;

export type Product = {
  publicUrl: string;
  dataDir: string;
  /** Milliseconds from the command to "is ready". */
  readyMs: number;
  pid: number;
  output(): string;
  stderr(): string;
  /** Pids of the broker and of all processes that it started. */
  processes(): Promise<number[]>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Does the same as Ctrl+C in a terminal, which reaches all processes of the group. */
  interrupt(): Promise<number | null>;
};

export type ProductOptions = {
  dataDir?: string;
  env?: NodeJS.ProcessEnv;
  port?: number;
  /** The folder with another version's sources. By default this checkout. */
  checkout?: string;
  /** Whether new accounts get the demo's welcome credits. Off by default, because tests count credits. */
  welcomes?: boolean;
  /** Whether it gets a process group, as in a terminal, for `interrupt`. Ctrl+C on the tests does not reach it. */
  ownGroup?: boolean;
  /** The user of this machine who runs it, if another one. */
  user?: OtherUser;
  /** A command that runs the product, put before Node. It must replace itself, so that signals reach the product. */
  through?: readonly string[];
};

/** Starts the product like `npm start`, in its own process, and waits until it reports that it is ready. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const dataDir = options.dataDir ?? (await newDataDir());
  const port = options.port ?? (await freePort());
  const startedAt = performance.now();
  const offers = options.welcomes ? {} : { OFFERS_FILE: await offersWithoutWelcome(await newDataDir()) };
  const env = { PORT: String(port), DATA_DIR: dataDir, ...offers, ...options.env };
  const checkout = options.checkout ?? root;
  const program = [...startFlags(checkout), 'apps/broker/src/main.ts'];
  const { ownGroup, user, through } = options;
  const child = run(program, env, { ownGroup, checkout, user, through });
  await new Promise<void>((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error(`not ready in time:\n${child.output()}`)), readyDeadlineMs);
    child.process.stdout?.on('data', () => {
      if (!child.output().includes('is ready')) return;
      clearTimeout(deadline);
      resolve();
    });
    void child.exit.then((code) => {
      clearTimeout(deadline);
      // the reason is on stderr, and a report shows only the first lines
      reject(new Error(`ended with ${code}:\n${child.stderr()}${child.stdout()}`));
    });
  });
  const pid = child.process.pid ?? 0;
  return {
    publicUrl: `http://localhost:${port}`,
    dataDir,
    readyMs: performance.now() - startedAt,
    pid,
    output: child.output,
    stderr: child.stderr,
    processes: async () => [pid, ...(await descendants(pid))],
    async kill(signal) {
      child.process.kill(signal);
      return child.exit;
    },
    async interrupt() {
      process.kill(-pid, 'SIGINT');
      return child.exit;
    },
  };
}

/** Runs a program that is expected to exit on its own. */
export async function runToEnd(
  program: string[],
  env: NodeJS.ProcessEnv = {},
  user?: OtherUser,
): Promise<{ code: number | null; output: string; stdout: string }> {
  const child = run(program, env, { user });
  const code = await child.exit;
  return { code, output: child.output(), stdout: child.stdout() };
}

/** Returns the variables that a started program gets from the environment, and the cache of compiled code (scripts/run.mjs). */
export const programEnv = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(root, 'node_modules/.cache/compiled'),
});

/** Runs a program of this repository with the Node that runs the tests. */
function run(
  program: string[],
  env: NodeJS.ProcessEnv,
  {
    ownGroup = false,
    checkout = root,
    user,
    through = [],
  }: {
    ownGroup?: boolean | undefined;
    checkout?: string;
    user?: OtherUser | undefined;
    through?: readonly string[] | undefined;
  } = {},
) {
  let stdout = '';
  let stderr = '';
  const [command = process.execPath, ...words] = [...through, process.execPath, ...program];
  const child: ChildProcess = spawn(command, words, {
    cwd: checkout,
    env: { ...programEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
    ...user,
  });
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  const exit = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return { process: child, exit, output: () => stdout + stderr, stdout: () => stdout, stderr: () => stderr };
}

export const newDataDir = () => mkdtemp(join(tmpdir(), 'souk-e2e-'));

export { freePort };

/** Returns all descendants of `pid`, from /proc. */
async function descendants(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => undefined);
    const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (parent) parents.set(Number(entry), Number(parent));
  }
  const below = (of: number): number[] =>
    [...parents].filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}
