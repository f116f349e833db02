import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../network/free-port.ts';
import { spawnGuarded, unprivilegedUser } from '../servers/guarded-process.ts';
import { waitUntil } from '../wait-until.ts';

const program = '/usr/sbin/pgbouncer';

export const hasPgBouncer = (): boolean => existsSync(program);

/** Starts PgBouncer in transaction mode in front of a PostgreSQL of this machine, with few connections to it. */
export async function startPgBouncer(databaseUrl: string): Promise<{ url: string; stop(): Promise<void> }> {
  const target = new URL(databaseUrl);
  const [port, user, folder] = await Promise.all([
    freePort(),
    unprivilegedUser(),
    mkdtemp(join(tmpdir(), 'souk-pgbouncer-')),
  ]);
  const settings = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port} user=${target.username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'max_client_conn = 500',
    'default_pool_size = 15',
    // a statement that finds no free connection waits as long as we do
    'query_wait_timeout = 2',
    'server_login_retry = 1',
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings.join('\n'));
  if (user) await Promise.all([chown(folder, user.uid, user.gid), chown(file, user.uid, user.gid)]);
  const server = spawnGuarded([program, '-q', file], { cwd: folder, env: { PATH: process.env.PATH }, ...user }, 'TERM');
  const url = new URL(target);
  url.port = String(port);
  await waitUntil('PgBouncer to respond', () => answers(url.href));
  return {
    url: url.href,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
