import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

export type PostgresCluster = {
  /** Address of the superuser and the database `postgres`. */
  url: string;
  /** Ends the server at once and removes its files. */
  stop(): Promise<void>;
};

const readyWithinMs = 30_000;

/**
 * A throw-away PostgreSQL of its own on a free loopback port, without fsync. PostgreSQL refuses to run as root, so then it
 * runs as the first of `postgres` and `nobody` that exists.
 * @param binaries the folder of initdb and postgres
 * @param parent where its own folder goes
 */
export async function startPostgresCluster(binaries: string, parent = tmpdir()): Promise<PostgresCluster> {
  const user = process.getuid?.() === 0 ? await unprivilegedUser() : undefined;
  const folder = await mkdtemp(join(parent, 'souk-postgres-'));
  await chmod(folder, 0o700);
  if (user) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...user };
  try {
    const initdb = ['-D', data, '-U', 'souk', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
    await finished(
      spawn(join(binaries, 'initdb'), initdb, { ...options, stdio: ['ignore', 'ignore', 'pipe'] }),
      'initdb',
    );
    const port = await freePort();
    const settings = [
      'fsync=off',
      'full_page_writes=off',
      'synchronous_commit=off',
      'max_connections=200',
      'shared_buffers=32MB',
    ];
    const server = spawnGuarded(
      [join(binaries, 'postgres'), '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''].concat(
        settings.flatMap((setting) => ['-c', setting]),
      ),
      options,
    );
    const url = `postgresql://souk@127.0.0.1:${port}/postgres`;
    await answers(url, server);
    return {
      url,
      async stop() {
        server.stdin?.end();
        if (server.exitCode === null) await once(server, 'exit');
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Runs a server that ends when our end of its standard input closes, so that none is left when the tests are killed:
 * the kernel closes it however we end. SIGQUIT is PostgreSQL's immediate shutdown.
 */
function spawnGuarded(command: string[], options: { cwd: string; uid?: number; gid?: number }): ChildProcess {
  const script = '"$@" <&- & pid=$!; (while read -r _; do :; done; kill -QUIT $pid) & wait $pid';
  return spawn('/bin/bash', ['-c', `exec 3<&0; ${script.replace('read -r _', 'read -r _ <&3')}`, 'guard', ...command], {
    ...options,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  const errors = collect(server);
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) {
        server.stdin?.end();
        throw new Error(`PostgreSQL did not start: ${errors()}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, 50)); // asked again until the deadline
    }
  }
}

async function finished(child: ChildProcess, name: string): Promise<void> {
  const errors = collect(child);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${name} failed: ${errors()}`);
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-2000);
  });
  return () => text;
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find(([first]) => first === name);
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody');
}
