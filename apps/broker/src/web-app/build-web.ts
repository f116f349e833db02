import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { codeOf } from '#platform/thrown.ts';
import { whenStarted } from '#platform/when-started.ts';
import { precompressFiles } from './precompress-files.ts';

const root = join(import.meta.dirname, '../../../..');
const sources = [
  'apps/web/src',
  'apps/web/index.html',
  'apps/web/vite.config.ts',
  'packages/contract/src',
  'package-lock.json',
  'apps/broker/src/web-app/precompress-files.ts',
];

/** The web app is not built, and its builder is not installed. */
export class WebNotBuiltError extends Error {
  override name = 'WebNotBuiltError';
  constructor(cause: unknown) {
    super(
      'the web app is not built for these sources, and its builder is not installed. ' +
        'Run `npm run build` with all packages, and keep the folder .cache.',
      { cause },
    );
  }
}

/**
 * Builds the web app if its sources have changed since the last build, so that `npm start` needs no separate build step.
 * @returns the folder with index.html and assets/
 * @throws Error with the builder's output if it fails
 */
export async function buildWeb(cacheDir: string = join(root, '.cache')): Promise<string> {
  const folder = join(cacheDir, `web-${await hashOfSources()}`);
  if (existsSync(join(folder, 'index.html'))) return folder;
  const draft = `${folder}.${process.pid}-${randomBytes(4).toString('hex')}`;
  await mkdir(cacheDir, { recursive: true });
  try {
    await runVite(draft);
    await precompressFiles(join(draft, 'assets'));
    // another process may have finished the same build first
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(join(folder, 'index.html'))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources)
    for (const file of await filesOf(join(root, source))) {
      hash.update(`${file.slice(root.length)}\0`).update(await readFile(file));
    }
  return hash.digest('hex').slice(0, 16);
}

async function filesOf(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return [path];
    throw error;
  }
}

/** Returns the path of the builder's program. @throws WebNotBuiltError without development dependencies */
function findVite(): string {
  try {
    return join(
      dirname(createRequire(join(root, 'apps/web/package.json')).resolve('vite/package.json')),
      'bin/vite.js',
    );
  } catch (cause) {
    throw new WebNotBuiltError(cause);
  }
}

async function runVite(outDir: string): Promise<void> {
  const vite = findVite();
  const args = [vite, 'build', join(root, 'apps/web'), '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  // builds for production even if the broker's own NODE_ENV differs
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  await whenStarted(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`the web app could not be built:\n${output.trim()}`);
}
