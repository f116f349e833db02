import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from './find-on-path.ts';
import { spawnGuarded } from '../servers/guarded-process.ts';
import { waitUntil } from '../wait-until.ts';

const example = join(import.meta.dirname, '../../../../../deploy/Caddyfile');
const program = findOnPath('caddy');

export const hasCaddy = (): boolean => program !== undefined;

/** Starts Caddy with deploy/Caddyfile, with the address and the brokers of this machine. */
export async function startCaddy(port: number, brokers: readonly number[]): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'souk-caddy-'));
  const site = readFileSync(example, 'utf8')
    .replace('souk.example {', `http://127.0.0.1:${port} {`)
    .replace(/10\.0\.0\.11:3000 .*(?= \{)/, brokers.map((broker) => `127.0.0.1:${broker}`).join(' '));
  const file = join(folder, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n}\n${site}`);
  const server = spawnGuarded(
    [program ?? 'caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } },
    'TERM',
  );
  await waitUntil('Caddy to respond', () => {
    if (server.child.exitCode !== null) throw new Error(`Caddy did not start: ${server.errors()}`);
    return fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
  });
  return {
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
