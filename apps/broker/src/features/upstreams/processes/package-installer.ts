import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { OutgoingProxy } from '#platform/config/outgoing-proxy.ts';
import { runNpm } from './run-npm.ts';

const firstRetryMs = 30_000;
const longestRetryMs = 60 * 60_000;
const temporary = '.installing-';
const locks = 'locks';

/** Packages of the npm registry, each in a folder of its own: `programs/{name}@{version}` in the data folder. */
export type PackageInstaller = {
  isInstalled(spec: string): boolean;
  /**
   * Where an installed package is, and the file of its command `bin`.
   * @throws UpstreamError not_set_up when it is not installed, or has no such command
   */
  find(spec: string, bin: string | undefined): { folder: string; file: string };
  /**
   * Installs a package; callers at the same time share one installation. After a failure it is not tried again for 30 s,
   * doubling to an hour.
   * @param spec name and exact version
   * @throws UpstreamError not_set_up with npm's last lines
   */
  install(spec: string): Promise<void>;
  /** Ends what is being installed. */
  stop(): Promise<void>;
};

/** @param wanted the packages of the allow-list: folders of others are removed, their locks are kept */
export function createPackageInstaller(options: {
  dataDir: string;
  wanted: readonly string[];
  /** Of the broker, from which npm gets its own settings and no secret. */
  environment: NodeJS.ProcessEnv;
  proxy?: OutgoingProxy | undefined;
  clock: Clock;
}): PackageInstaller {
  const environment = { ...options.environment, ...options.proxy?.variables };
  const time = elapsedTime(options.clock);
  const root = join(options.dataDir, 'programs');
  const running = new Map<string, Promise<void>>();
  const failures = new Map<string, { count: number; retryAtMs: number; error: UpstreamError }>();
  const stopping = new AbortController();
  const folderOf = (spec: string) => join(root, idOf(spec));
  const isInstalled = (spec: string) => existsSync(folderOf(spec));
  tidy(root, new Set(options.wanted.map(idOf)));

  async function tryInstall(spec: string): Promise<void> {
    const failed = failures.get(spec);
    if (failed && time.now() < failed.retryAtMs) throw failed.error;
    try {
      await installInto(root, spec, environment, stopping.signal);
      failures.delete(spec);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const count = (failed?.count ?? 0) + 1;
      const retryAtMs = time.now() + Math.min(firstRetryMs * 2 ** (count - 1), longestRetryMs);
      const failure = new UpstreamError('not_set_up', `the package ${spec} could not be installed: ${reason}`);
      failures.set(spec, { count, retryAtMs, error: failure });
      throw failure;
    }
  }

  return {
    isInstalled,
    find(spec, bin) {
      if (!isInstalled(spec)) throw new UpstreamError('not_set_up', `the package ${spec} is not installed yet`);
      const folder = folderOf(spec);
      return { folder, file: fileOf(join(folder, 'node_modules', nameOf(spec)), spec, bin) };
    },
    async install(spec) {
      if (isInstalled(spec)) return;
      const installing = running.get(spec) ?? tryInstall(spec).finally(() => running.delete(spec));
      running.set(spec, installing);
      await installing;
    },
    async stop() {
      stopping.abort();
      await Promise.allSettled(running.values());
    },
  };
}

/**
 * In a temporary folder, which is renamed when it is complete. The first installation writes down the hash of every
 * package; a later one of the same version gets exactly these, or fails.
 */
async function installInto(
  root: string,
  spec: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(join(root, locks), { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(root, temporary));
  try {
    const folder = join(scratch, 'program');
    mkdirSync(folder, { mode: 0o700 });
    const lock = join(root, locks, `${idOf(spec)}.json`);
    const name = nameOf(spec);
    const manifest = { private: true, dependencies: { [name]: spec.slice(name.length + 1) } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
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
    await rename(folder, join(root, idOf(spec)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ resolved: z.string().optional(), integrity: z.string().optional(), inBundle: z.boolean().optional() }),
  ),
});

/** npm writes where a package is from for those of elsewhere alone (git, an address); the registry's have a hash. */
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

function idOf(spec: string): string {
  return spec.replace('/', '+');
}

/** Removes what a broker left that was killed, and packages that the allow-list no longer has. */
function tidy(root: string, wanted: ReadonlySet<string>): void {
  if (!existsSync(root)) return;
  for (const name of readdirSync(root)) {
    if (name !== locks && !wanted.has(name)) rmSync(join(root, name), { recursive: true, force: true });
  }
}
