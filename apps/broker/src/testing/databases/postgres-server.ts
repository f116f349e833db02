import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  runTool,
  spawnGuarded,
  unprivilegedUser,
  type GuardedOptions,
  type GuardedProcess,
} from '../servers/guarded-process.ts';

const readyWithinMs = 30_000;

/** Folder in which PostgreSQL may run, with its programs. */
export type PostgresPlace = {
  binaries: string;
  folder: string;
  options: GuardedOptions;
  remove(): Promise<void>;
};

export type PostgresServer = {
  /** Address of the superuser and the database `postgres`. */
  url: string;
  /** Ends it immediately, as a crash does. */
  stop(): Promise<void>;
};

export async function makePlace(binaries: string, parent: string): Promise<PostgresPlace> {
  const user = await unprivilegedUser();
  const folder = await mkdtemp(join(parent, 'souk-postgres-'));
  await chmod(folder, 0o700);
  if (user) await chown(folder, user.uid, user.gid);
  return {
    binaries,
    folder,
    options: { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...user },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Creates an empty cluster in a folder of the place. */
export async function initData({ binaries, folder, options }: PostgresPlace, name: string): Promise<void> {
  const initdb = ['-U', 'souk', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  await runTool([join(binaries, 'initdb'), '-D', join(folder, name), ...initdb], options);
}

/** Starts the server of a folder of the place, without fsync, and waits until it responds. */
export async function runPostgres(
  { binaries, folder, options }: PostgresPlace,
  name: string,
  port: number,
  settings: readonly string[],
): Promise<PostgresServer> {
  const all = ['fsync=off', 'shared_buffers=32MB', ...settings].flatMap((setting) => ['-c', setting]);
  const command = [join(binaries, 'postgres'), '-D', join(folder, name), '-p', String(port), '-h', '127.0.0.1'];
  const server = spawnGuarded([...command, '-k', '', ...all], options, 'QUIT');
  const url = `postgresql://souk@127.0.0.1:${port}/postgres`;
  await answers(url, server);
  return { url, stop: server.stop };
}

async function answers(url: string, server: GuardedProcess): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.child.exitCode !== null || Date.now() > deadline) {
        await server.stop();
        throw new Error(`PostgreSQL did not start: ${server.errors()}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, 50)); // retried until the deadline
    }
  }
}
