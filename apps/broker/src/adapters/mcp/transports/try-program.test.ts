import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { openSandbox } from './sandbox.ts';
import { tryProgram } from './try-program.ts';

let tools: string;
beforeAll(async () => {
  tools = await mkdtemp(join(tmpdir(), 'souk-tools-'));
});
afterAll(() => rm(tools, { recursive: true, force: true }));

/** Files with the ids of processes that have left their group. */
const escaped: string[] = [];
afterEach(async () => {
  for (const file of escaped.splice(0).filter((each) => existsSync(each))) {
    const pid = Number(await readFile(file, 'utf8'));
    if (pid > 0 && isRunning(pid)) process.kill(pid);
  }
});

/** Sends a signal that changes nothing. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a sandbox that fails at the start is not waited for, and its leftover processes end', async () => {
  const left = join(tools, 'left');
  // as pasta does without a tun device: one of its processes keeps waiting and holds stderr open
  const script = `#!/bin/sh\nsleep 600 &\necho $! > ${left}\necho 'no namespace for you' >&2\nexit 1\n`;
  await writeFile(join(tools, 'bwrap'), script, { mode: 0o755 });
  await symlink('/bin/true', join(tools, 'prlimit'));
  // a program that hangs is abandoned after 5 s
  await limitElapsed(
    4_000,
    async () => {
      const sandbox = await openSandbox({ required: true, log: createLog('silent'), searchPath: tools });
      expect(() => sandbox.wrap({ argv: ['true'], cwd: tools, env: {}, reads: [], network: false })).toThrow(
        'bwrap does not work here (no namespace for you)',
      );
    },
    { scales: 'start' },
  );
  const pid = Number(await readFile(left, 'utf8'));
  await waitUntil('the abandoned process to end', () => !isRunning(pid));
});

test('a program that leaves a process outside its group, with its stderr open, is waited for until the limit', async () => {
  const escape = async (limitMs: number): Promise<boolean> => {
    const left = join(tools, `escaped-${limitMs}`);
    escaped.push(left);
    const script = `setsid sh -c 'echo $$ > ${left}; exec sleep 600' & while [ ! -s ${left} ]; do :; done; exit 1`;
    const argv = ['/bin/sh', '-c', script] as const;
    expect(await tryProgram({ argv, cwd: tools, env: { PATH: '/usr/bin:/bin' } }, limitMs)).toBe('');
    return existsSync(left);
  };
  // on a busy machine no process may have left the group by then
  expect((await escape(300)) || (await escape(30_000))).toBe(true);
});
