import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { makeCgroup } from '#testing/network/writable-cgroup.ts';
import { createMemoryGroups, openMemoryGroups, type MemoryGroup } from './memory-groups.ts';

const mega = 1024 * 1024;
const limits = { memoryBytes: 64 * mega, personMemoryBytes: 96 * mega };
const cgroup = makeCgroup();
const groupsIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('souk-'));

describe.skipIf(!cgroup)('kernel groups for the memory of programs', () => {
  const { path } = cgroup ?? { path: '' };
  afterAll(() => cgroup?.remove());
  afterEach(async () => {
    await waitUntil('all groups to be removed', () => {
      createMemoryGroups(path, limits);
      return groupsIn(path).length === 0;
    });
  });

  /** Starts a program in this group that takes this much memory on request. */
  function start(group: MemoryGroup, megabytes: number) {
    const code = `process.stdin.once('data', () => { globalThis.held = Buffer.alloc(${megabytes * mega}, 1); process.stdout.write('held'); });
      process.stdout.write('begun'); setTimeout(() => {}, 60_000)`;
    const [command = '', ...args] = [...group.enter, process.execPath, '-e', code];
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    return {
      child,
      begun: once(child.stdout, 'data'),
      grow: () => child.stdin.write('\n'),
      held: () => once(child.stdout, 'data'),
      async end() {
        child.kill('SIGKILL');
        await exited;
        group.close();
      },
      exited,
    };
  }

  test('the kernel ends a program that takes too much, and the reason is known', async () => {
    const groups = createMemoryGroups(path, limits);
    const [greedy, neighbour] = [groups.open('ann'), groups.open('ben')];
    const [one, other] = [start(greedy, 256), start(neighbour, 8)];
    await Promise.all([one.begun, other.begun]);
    expect(readFileSync(`/proc/${one.child.pid}/cgroup`, 'utf8')).toContain('/souk-');
    one.grow();
    expect(await one.exited).toEqual([null, 'SIGKILL']);
    expect([greedy.ended(), neighbour.ended()]).toEqual(['program', undefined]);
    const held = other.held();
    other.grow();
    await held;
    await Promise.all([one.end(), other.end()]);
  });

  test('programs of one user take too much together', async () => {
    const groups = createMemoryGroups(path, { memoryBytes: 256 * mega, personMemoryBytes: 200 * mega });
    const both = [groups.open('ann'), groups.open('ann')];
    const programs = both.map((group) => start(group, 110));
    for (const program of programs) {
      await program.begun;
      const held = program.held();
      program.grow();
      await Promise.race([held, ...programs.map(({ exited }) => exited)]);
    }
    await Promise.race(programs.map(({ exited }) => exited));
    // the kernel may also end the second one before the first has released its memory
    const ended = both.map((group) => group.ended());
    expect(ended).toContain('owner');
    expect(ended).not.toContain('program');
    await Promise.all(programs.map((program) => program.end()));
  });

  test('a group with running processes is removed once they have ended, even if no other program starts', async () => {
    const group = createMemoryGroups(path, limits).open('ann');
    const program = start(group, 8);
    await program.begun;
    group.close();
    expect(groupsIn(path)).toHaveLength(1);
    program.child.kill('SIGKILL');
    await waitUntil('the group to be removed', () => groupsIn(path).length === 0);
  });

  test('groups of killed brokers are removed, and no others', async () => {
    const groups = createMemoryGroups(path, limits);
    const group = groups.open('ann');
    const [owner = ''] = groupsIn(path);
    // no process has this id
    const left = join(path, owner, 'souk-4194305-1');
    const others = [join(path, owner, 'souk-1-1'), join(path, 'theirs')];
    for (const folder of [left, ...others]) mkdirSync(folder);
    createMemoryGroups(path, limits);
    expect([left, ...others].map((folder) => existsSync(folder))).toEqual([false, true, true]);
    group.close();
    for (const folder of others) rmdirSync(folder);
  });
});

test('an unusable folder is reported, and programs are watched without groups', async () => {
  const lines: string[] = [];
  const log = createLog('error', { write: (line: string) => void lines.push(line) });
  const open = (folder: string | undefined) => openMemoryGroups({ cgroup: folder, limits, log });
  expect(await open(undefined)).toBeUndefined();
  expect(lines).toEqual([]);
  expect(await open(import.meta.dirname)).toBeUndefined();
  expect(lines.join('')).toContain(
    `PROGRAMS_CGROUP cannot be used (${import.meta.dirname} is not a control group): only the broker limits the memory of programs`,
  );
});
