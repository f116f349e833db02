import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const installMs = 15 * 60_000;

/** Exact package versions of each set that is installed together. */
const versions = z
  .record(z.string(), z.record(z.string(), z.string()))
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'versions.json'), 'utf8')));

const cache = () => process.env['CLIENTS_CACHE'] ?? join(homedir(), '.cache/souk/clients');

/** Whether a set is in the cache folder, so that nothing has to be downloaded. */
export const isInstalled = (set: string): boolean => existsSync(join(folderOf(set), 'installed'));

/** Returns the folder for this list of versions. */
function folderOf(set: string): string {
  const key = createHash('sha256')
    .update(JSON.stringify(versionsOf(set)))
    .digest('hex')
    .slice(0, 8);
  return join(cache(), `${set}-${key}`);
}

function versionsOf(set: string): Record<string, string> {
  const dependencies = versions[set];
  if (!dependencies) throw new Error(`versions.json has no ${set}`);
  return dependencies;
}

/**
 * Installs a set of packages from the npm registry into the cache folder, unless it is there, and removes its older folders.
 * @returns the folder with its node_modules
 */
export async function installSet(set: string, signal: AbortSignal): Promise<string> {
  const [dependencies, folder] = [versionsOf(set), folderOf(set)];
  if (isInstalled(set)) return folder;
  await mkdir(cache(), { recursive: true });
  for (const other of await readdir(cache())) {
    if (other.startsWith(`${set}-`) && other.length === set.length + 9)
      await rm(join(cache(), other), { recursive: true });
  }
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await npmInstall(folder, signal);
  await writeFile(join(folder, 'installed'), '');
  return folder;
}

export function versionOf(folder: string, name: string): string {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

async function npmInstall(folder: string, signal: AbortSignal): Promise<void> {
  const child = spawn('npm', ['install', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(installMs)]),
  });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors = (errors + String(chunk)).slice(-2000)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`npm install: ${errors.trim().split('\n').at(-1) ?? `exit code ${code}`}`);
}
