import { spawnSync } from 'node:child_process';
import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unprivilegedUser } from '../apps/broker/src/testing/servers/guarded-process.ts';

export type OtherUser = { uid: number; gid: number };

/**
 * Finds a user of this machine who may read this checkout and run Node. Undefined if the tests cannot run as another
 * user.
 */
export async function findOtherUser(): Promise<OtherUser | undefined> {
  const user = await unprivilegedUser();
  if (!user) return undefined;
  const program = ['-e', `require('fs').readFileSync('package.json')`];
  const { status } = spawnSync(process.execPath, program, { cwd: join(import.meta.dirname, '..'), ...user });
  return status === 0 ? user : undefined;
}

/** Gives a folder and its contents to a user, like `chown -R`. */
export async function giveFolder(folder: string, { uid, gid }: OtherUser): Promise<void> {
  const inside = await readdir(folder, { recursive: true });
  for (const path of ['.', ...inside]) await lchown(join(folder, path), uid, gid);
}
