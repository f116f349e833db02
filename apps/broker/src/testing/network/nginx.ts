import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnGuarded } from '../servers/guarded-process.ts';
import { waitUntil } from '../wait-until.ts';

const program = '/usr/sbin/nginx';
const example = join(import.meta.dirname, '../../../../../deploy/nginx.conf');

export const hasNginx = (): boolean => existsSync(program);

/**
 * Starts nginx with deploy/nginx.conf, with this machine's values in the lines marked CHANGE.
 * @param brokers their ports; nginx skips those that are not up yet
 * @param keepAlive how long it keeps idle connections to brokers; by default as in the example
 */
export async function startNginx(
  port: number,
  brokers: readonly number[],
  keepAlive?: string,
): Promise<{ errors(): Promise<string[]>; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'souk-nginx-'));
  const ours = brokers.map((broker) => `    server 127.0.0.1:${broker} max_fails=1 fail_timeout=2s;`).join('\n');
  const site = readFileSync(example, 'utf8')
    .replace(/(?:^ {4}server 10\..*\n)+/m, `${ours}\n`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^ {4}(?:server_name|ssl_\w+) .*\n/gm, '')
    .replace(/^ {4}keepalive_timeout .*$/m, (line) => (keepAlive ? `    keepalive_timeout ${keepAlive};` : line));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const settings = `
    daemon off;
    pid ${folder}/pid;
    error_log ${folder}/error.log warn;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 2;
    events { worker_connections 1024; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
      ${site}
    }`;
  await writeFile(join(folder, 'nginx.conf'), settings);
  const server = spawnGuarded(
    [program, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')],
    { cwd: folder, env: { PATH: process.env.PATH } },
    'TERM',
  );
  await waitUntil('nginx to respond', () => {
    if (server.child.exitCode !== null) throw new Error(`nginx did not start: ${server.errors()}`);
    return fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
  });
  return {
    errors: async () => (await readFile(join(folder, 'error.log'), 'utf8')).split('\n').filter((line) => line !== ''),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
