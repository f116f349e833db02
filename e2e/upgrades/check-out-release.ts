import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const lockFile = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) });

/** A folder with the sources of an earlier version, which runs like that version. */
export type Checkout = { root: string; version: string; remove(): Promise<void> };

/**
 * Checks out the last release by its tag in this clone. It runs with the packages that are installed here if they are the same
 * versions; otherwise its own are installed.
 * @returns the reason if that fails: no release, a clone without tags, or packages out of reach
 */
export async function checkOutLastRelease(): Promise<Checkout | string> {
  const { stdout } = await run('git', ['tag', '--list', 'v[0-9]*', '--sort=-v:refname'], { cwd: root });
  const [tag] = stdout.split('\n').filter((name) => /^v\d+\.\d+\.\d+$/.test(name));
  if (tag === undefined) return 'no release has a tag in this clone';
  const version = tag.slice(1);
  const folder = await mkdtemp(join(tmpdir(), `souk-${version}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'sources.tar');
    await run('git', ['archive', '--output', archive, tag], { cwd: root });
    await run('tar', ['-xf', archive, '-C', folder]);
    await rm(archive);
    if (await isInstalledHere(folder)) await linkPackages(folder);
    else await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
    return { root: folder, version, remove };
  } catch (error) {
    await remove();
    return `Souk ${version} is not available: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function isInstalledHere(checkout: string): Promise<boolean> {
  const [then, now] = await Promise.all([readLock(checkout), readLock(root)]);
  return Object.entries(then).every(
    ([path, { version }]) => !path.includes('node_modules/') || now[path]?.version === version,
  );
}

async function readLock(folder: string) {
  return lockFile.parse(JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'))).packages;
}

/**
 * Links the installed packages into the checkout. Links to the project's own packages are relative, so they lead to the
 * checkout's.
 */
async function linkPackages(checkout: string): Promise<void> {
  const own = '@souk';
  for (const place of ['', 'apps/broker', 'apps/web']) {
    const [from, to] = [join(root, place, 'node_modules'), join(checkout, place, 'node_modules')];
    await mkdir(join(to, own), { recursive: true });
    const names = (await readdir(from)).filter((name) => name !== own && !name.startsWith('.'));
    await Promise.all(names.map((name) => symlink(join(from, name), join(to, name))));
  }
  const from = join(root, 'node_modules', own);
  for (const name of await readdir(from))
    await symlink(await readlink(join(from, name)), join(checkout, 'node_modules', own, name));
}
