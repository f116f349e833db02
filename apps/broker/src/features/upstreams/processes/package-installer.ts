import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { OutgoingProxy } from '#platform/config/outgoing-proxy.ts';
import { runNpm } from './run-npm.ts';

const firstRetryMs = 30_000;
const maxRetryMs = 60 * 60_000;
const temporary = '.installing-';
const locks = 'locks';

/** Name and exact version. `lock`: the required hashes, if an administrator allowed the package. */
export type WantedPackage = string | { spec: string; lock: string };

/**
 * Packages of the npm registry, each installed in `programs/{name}@{version}` of the data folder.
 * @param options.wanted packages of the allow-lists. Folders of other packages are removed; their locks are kept
 */
export function createPackageInstaller(options: {
  dataDir: string;
  wanted: readonly WantedPackage[];
  /** The broker's environment, of which npm gets its own settings but no secret. */
  environment: NodeJS.ProcessEnv;
  proxy?: OutgoingProxy | undefined;
  clock: Clock;
}) {
  const environment = { ...options.environment, ...options.proxy?.variables };
  const time = elapsedTime(options.clock);
  const root = join(options.dataDir, 'programs');
  const running = new Map<string, Promise<void>>();
  const failures = new Map<string, { count: number; retryAtMs: number; error: UpstreamError }>();
  const stopping = new AbortController();
  const folderOf = (wanted: WantedPackage) => join(root, idOf(wanted));
  const isInstalled = (wanted: WantedPackage) => existsSync(folderOf(wanted));
  tidy(root, new Set(options.wanted.map(idOf)));

  async function tryInstall(wanted: WantedPackage): Promise<void> {
    const spec = specOf(wanted);
    const id = idOf(wanted);
    const failed = failures.get(id);
    if (failed && time.now() < failed.retryAtMs) throw failed.error;
    try {
      await installInto(root, wanted, environment, stopping.signal);
      failures.delete(id);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const count = (failed?.count ?? 0) + 1;
      const retryAtMs = time.now() + Math.min(firstRetryMs * 2 ** (count - 1), maxRetryMs);
      const failure = new UpstreamError('not_set_up', `the package ${spec} could not be installed: ${reason}`);
      failures.set(id, { count, retryAtMs, error: failure });
      throw failure;
    }
  }

  return {
    isInstalled,
    /**
     * Returns the folder of an installed package, and the file of its command `bin`.
     * @throws UpstreamError not_set_up when it is not installed, or has no such command
     */
    find(wanted: WantedPackage, bin: string | undefined): { folder: string; file: string } {
      const spec = specOf(wanted);
      if (!isInstalled(wanted)) throw new UpstreamError('not_set_up', `the package ${spec} is not installed yet`);
      const folder = folderOf(wanted);
      return { folder, file: fileOf(join(folder, 'node_modules', nameOf(spec)), spec, bin) };
    },
    /**
     * Installs a package. Concurrent callers share one installation. After a failure it is not retried for 30 s, doubling to
     * an hour.
     * @throws UpstreamError not_set_up with npm's last lines
     */
    async install(wanted: WantedPackage): Promise<void> {
      if (isInstalled(wanted)) return;
      const id = idOf(wanted);
      const installing = running.get(id) ?? tryInstall(wanted).finally(() => running.delete(id));
      running.set(id, installing);
      await installing;
    },
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.allSettled(running.values());
    },
  };
}

export type PackageInstaller = ReturnType<typeof createPackageInstaller>;

/**
 * Installs into a temporary folder, which is renamed when it is complete. The first installation records the hash of every
 * package; a later one of the same version gets exactly these, or fails.
 */
async function installInto(
  root: string,
  wanted: WantedPackage,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(join(root, locks), { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(root, temporary));
  try {
    const folder = await makeProject(scratch, specOf(wanted));
    const lock = join(root, locks, `${idOf(wanted)}.json`);
    if (typeof wanted !== 'string') await writeFile(lock, wanted.lock);
    const isKnown = existsSync(lock);
    if (isKnown) {
      checkOrigins(await readFile(lock, 'utf8'));
      await copyFile(lock, join(folder, 'package-lock.json'));
    }
    await runNpm(isKnown ? 'ci' : 'install', { folder, cache: join(scratch, 'cache'), environment, signal });
    const written = await readFile(join(folder, 'package-lock.json'), 'utf8');
    checkOrigins(written);
    if (!isKnown) {
      await writeFile(join(scratch, 'lock'), written);
      await rename(join(scratch, 'lock'), lock);
    }
    await rename(folder, join(root, idOf(wanted)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Makes a project whose only dependency is the package. */
async function makeProject(scratch: string, spec: string): Promise<string> {
  const folder = join(scratch, 'program');
  mkdirSync(folder, { mode: 0o700 });
  const name = nameOf(spec);
  const manifest = { private: true, dependencies: { [name]: spec.slice(name.length + 1) } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  return folder;
}

/** The hash of a package, the hashes of everything that it installs, and the names of its dependencies. */
export type FoundPackage = { lock: string; integrity: string; comesWith: string[] };

/**
 * Looks up a package in the registry. Downloads only metadata.
 * @throws Error with npm's last lines
 */
export async function lookUpPackage(
  spec: string,
  given: { environment: NodeJS.ProcessEnv; proxy?: OutgoingProxy | undefined; signal: AbortSignal },
): Promise<FoundPackage> {
  const environment = { ...given.environment, ...given.proxy?.variables };
  const { signal } = given;
  const scratch = await mkdtemp(join(tmpdir(), 'souk-package-'));
  try {
    const folder = await makeProject(scratch, spec);
    await runNpm('lock', { folder, cache: join(scratch, 'cache'), environment, signal });
    const lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
    checkOrigins(lock);
    const { packages } = lockSchema.parse(JSON.parse(lock));
    const own = `node_modules/${nameOf(spec)}`;
    const integrity = packages[own]?.integrity;
    if (integrity === undefined) throw new Error(`the registry has no hash of ${spec}`);
    const comesWith = Object.entries(packages)
      .filter(([path]) => path !== '' && path !== own)
      .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version ?? '?'}`);
    return { lock, integrity, comesWith: [...new Set(comesWith)].toSorted() };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      inBundle: z.boolean().optional(),
    }),
  ),
});

/**
 * Requires every package to come from the registry: then npm writes a hash. It writes an origin only for git
 * repositories and addresses.
 */
function checkOrigins(lock: string): void {
  for (const [path, entry] of Object.entries(lockSchema.parse(JSON.parse(lock)).packages)) {
    if (path === '' || (entry.inBundle && entry.resolved === undefined)) continue;
    if (entry.resolved !== undefined || !entry.integrity) throw new Error(`${path} does not come from the registry`);
  }
}

const manifestSchema = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]).optional() });

function fileOf(folder: string, spec: string, wanted: string | undefined): string {
  const { bin = {} } = manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const ownName = nameOf(spec).split('/').at(-1) ?? '';
  const commands = new Map(typeof bin === 'string' ? [[ownName, bin]] : Object.entries(bin));
  const [only] = commands.size === 1 ? commands.keys() : [ownName];
  const path = commands.get(wanted ?? only ?? '');
  const file = path === undefined ? undefined : resolve(folder, path);
  if (file?.startsWith(folder + sep)) return file;
  const known = [...commands.keys()].join(', ') || 'none';
  throw new UpstreamError('not_set_up', `name the command of the package ${spec} as "bin". It has: ${known}`);
}

function nameOf(spec: string): string {
  return spec.slice(0, spec.lastIndexOf('@'));
}

/** Returns the folder name of a package. The same version with other required hashes is another package. */
function idOf(wanted: WantedPackage): string {
  const plain = specOf(wanted).replace('/', '+');
  if (typeof wanted === 'string') return plain;
  return `${plain}+${createHash('sha256').update(wanted.lock).digest('hex').slice(0, 16)}`;
}

const specOf = (wanted: WantedPackage) => (typeof wanted === 'string' ? wanted : wanted.spec);

/** Removes leftovers of a killed broker, and packages that are no longer on an allow-list. */
function tidy(root: string, wanted: ReadonlySet<string>): void {
  if (!existsSync(root)) return;
  for (const name of readdirSync(root)) {
    if (name !== locks && !wanted.has(name)) rmSync(join(root, name), { recursive: true, force: true });
  }
}
