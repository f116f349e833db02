import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';

let folder: string;
let npm: ChildProcess | undefined;
const started: number[] = [];

/** Creates a product whose program finishes its work after a stop signal, and then writes a file. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'souk-run-'));
  await mkdir(join(folder, 'scripts'));
  for (const name of ['run.mjs', 'node-path.mjs', 'once-orphaned.mjs'])
    await cp(join(import.meta.dirname, name), join(folder, 'scripts', name));
  await writeFile(
    join(folder, 'main.ts'),
    `import { renameSync, writeFileSync } from 'node:fs';
     for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
       process.on(signal, () => setTimeout(() => {
         writeFileSync('stopped', signal);
         process.exit(0);
       }, 700));
     setInterval(() => {}, 1000);
     writeFileSync('pid.new', String(process.pid));
     renameSync('pid.new', 'pid');`,
  );
  // like the product's own: with its shell in between, npm would not wait
  const shape = z.object({ scripts: z.object({ start: z.string() }) });
  const { start } = shape.parse(JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))).scripts;
  const scripts = { start: start.replace('apps/broker/src/main.ts', 'main.ts') };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'product', type: 'module', scripts }));
});
afterEach(async () => {
  npm?.kill('SIGKILL');
  for (const pid of started.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function start(...options: string[]): Promise<ChildProcess> {
  npm = spawn('npm', ['start', ...options], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  await waitUntil('the program to start', () => existsSync(join(folder, 'pid')));
  started.push(Number(readFileSync(join(folder, 'pid'), 'utf8')));
  return npm;
}

/** Returns undefined until the program has written the signal: the file is empty for a moment. */
const stoppedBy = () =>
  (existsSync(join(folder, 'stopped')) && readFileSync(join(folder, 'stopped'), 'utf8')) || undefined;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to npm start stops the program, and npm waits for its end',
  async (signal) => {
    const running = await start();
    running.kill(signal);
    await once(running, 'exit');
    expect(stoppedBy()).toBe(signal);
  },
);

test.each(['SIGHUP', 'SIGKILL'] as const)(
  '%s ends npm immediately, and the program still stops in order',
  async (signal) => {
    const running = await start();
    running.kill(signal);
    await waitUntil('the program to stop', () => stoppedBy() !== undefined);
    expect(stoppedBy()).toBe('SIGTERM');
  },
);

test('a shell of npm that is killed by a signal, or outlives npm, leaves no program behind', async () => {
  const shell = join(folder, 'shell');
  await writeFile(shell, '#!/bin/sh\n/bin/sh "$@"\nexit $?\n');
  await chmod(shell, 0o755);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    const running = await start('--script-shell', shell);
    running.kill(signal);
    await waitUntil(`the program to stop after ${signal}`, () => stoppedBy() !== undefined);
    expect(stoppedBy()).toMatch(/SIG(TERM|HUP)/);
    await rm(join(folder, 'stopped'));
    await rm(join(folder, 'pid'));
  }
});
