import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Upstream } from '#adapters/mcp/upstream.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { areLimitsHeld, limitElapsed } from '#testing/figures/limits.ts';
import { atFullSize, printFigure } from '#testing/figures/proof-size.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { openPool } from '../testing/open-pool.ts';
import { testServer } from '../testing/test-server.ts';

/** 32 programs that start concurrently take a slow machine longer than the usual five seconds. */
const patient = { isolation: 'perUser', deadlines: { connectMs: 30_000, listMs: 60_000 } };
const files = testServer({ id: 'files', connection: { type: 'stdio', command: 'files' }, ...patient });
const lingers = testServer({ id: 'lingers', connection: { type: 'stdio', command: 'lingers' }, ...patient });
const broken = testServer({ id: 'broken', connection: { type: 'stdio', command: 'fault' }, ...patient });

let opened: Awaited<ReturnType<typeof openPool>>;
beforeEach(async () => {
  opened = await openPool();
});
afterEach(() => opened.close());

const call = (upstream: Upstream, name: string) =>
  upstream.callTool({ name }, { signal: new AbortController().signal, timeoutMs: 600_000, totalTimeoutMs: 600_000 });
const kindOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'fine',
    (error: unknown) => (error instanceof UpstreamError ? error.kind : String(error)),
  );
/** Makes one whole call, as the gateway does. */
async function use(userId: string, tool = 'echo', server = files): Promise<string> {
  const lease = await opened.pool.acquire(server, userId);
  try {
    const answer = await call(lease.upstream, tool);
    return 'members' in answer ? answer.members : answer.kind;
  } finally {
    lease.release();
  }
}
const people = (count: number) => Array.from({ length: count }, (_, index) => `user-${index}`);
const isAlive = (pid: number | undefined) => readdirSync('/proc').includes(String(pid));

describe('processes of stdio servers', () => {
  test('one user has one process, however many calls begin concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => use('ann')));
    expect(new Set(answers).size).toBe(1);
    expect(opened.pool.stdioPids()).toHaveLength(1);
    expect(await use('bob')).not.toBe(answers[0]);
  });

  test('end after five minutes without a call, and the next call starts them again', async () => {
    const before = await use('ann');
    const [pid] = opened.pool.stdioPids();
    opened.time.pass(5 * 60_000 + 1);
    opened.pool.closeIdle();
    await waitUntil('the process to end', () => !isAlive(pid));
    expect(await use('ann')).not.toBe(before);
  });

  test('do not end during a call, however long it takes', async () => {
    const lease = await opened.pool.acquire(files, 'ann');
    opened.time.pass(60 * 60_000);
    opened.pool.closeIdle();
    expect(await kindOf(call(lease.upstream, 'echo'))).toBe('fine');
    lease.release();
  });

  test('of one user never overlap: the next one starts when the previous one has ended', async () => {
    const pid = Number(/\d+/.exec(await use('ann', 'echo', lingers))?.[0]);
    const ended = opened.pool.drop(lingers, 'ann');
    expect(isAlive(pid)).toBe(true);
    const lease = await opened.pool.acquire(lingers, 'ann');
    expect(isAlive(pid)).toBe(false);
    await ended;
    lease.release();
  });

  test('survive switching the server off and on during a call', async () => {
    const before = await use('ann');
    const lease = await opened.pool.acquire(files, 'ann');
    opened.pool.retire('files', 'ann');
    expect(await use('ann')).toBe(before);
    opened.pool.retire('files', 'ann');
    lease.release();
    expect(await use('ann')).not.toBe(before);
  });

  test('are at most 32, including those that start: 34 concurrent users are served in turns, idle processes make room, and with 32 busy user 33 waits', async () => {
    let most = 0;
    const sampler = setInterval(() => (most = Math.max(most, childCount())), 2);
    onTestFinished(() => clearInterval(sampler));
    const answers = await Promise.all(people(34).map((userId) => use(userId)));
    clearInterval(sampler);
    expect(answers).toHaveLength(34);
    expect(most).toBeGreaterThan(20);
    expect(most).toBeLessThanOrEqual(32);
    expect(opened.pool.stdioPids().length).toBeLessThanOrEqual(32);

    // if one is idle, they do not wait
    const leases = await Promise.all(
      people(34)
        .slice(-32)
        .map((userId) => opened.pool.acquire(files, userId)),
    );
    const timers = opened.time.pending();
    const refused = kindOf(use('last'));
    // the test controls the time of the queue: nothing moves until it passes
    await waitUntil('they wait', () => opened.time.pending() > timers);
    opened.time.pass(2000);
    expect(await refused).toBe('busy');
    const waiting = use('last');
    await waitUntil('they wait', () => opened.time.pending() > timers);
    leases[7]?.release();
    expect(await waiting).toContain('text');
    for (const lease of leases) lease.release();
    expect(await use('another')).toContain('text');
    expect(opened.pool.stdioPids().length).toBeLessThanOrEqual(32);
  });
});

describe('a program that crashes', () => {
  test('bad input 22: during a call fails the call immediately, and runs again for the next one within 2 s', async () => {
    // one for each measurement of a restart
    const waiting = people(areLimitsHeld() ? 8 : 1);
    for (const userId of waiting) expect(await kindOf(use(userId, 'crash'))).toBe('closed');
    expect(opened.lost).toEqual(waiting.map(() => 'files'));
    await limitElapsed(2000, async () => expect(await use(waiting.pop() ?? '')).toContain('text'), { scales: 'start' });
  });

  test('twice is not restarted immediately, three times in a minute not before a reset', async () => {
    for (const expected of ['closed', 'closed', 'restarting']) expect(await kindOf(use('ann', 'crash'))).toBe(expected);
    opened.time.pass(5000);
    expect(await kindOf(use('ann', 'crash'))).toBe('closed');
    opened.time.pass(3_600_000);
    expect(await kindOf(use('ann'))).toBe('quarantined');
    // another user's process of the same server is not affected
    expect(await kindOf(use('bob'))).toBe('fine');
    opened.pool.retryNow('files');
    expect(await kindOf(use('ann'))).toBe('fine');
  });

  test('three times in more than a minute is restarted', async () => {
    for (let round = 0; round < 4; round++) {
      expect(await kindOf(use('ann', 'crash'))).toBe('closed');
      opened.time.pass(31_000);
    }
  });

  test('before its first response is stopped too, and takes no slot', async () => {
    expect(await kindOf(use('ann', 'echo', broken))).toBe('closed');
    expect(await kindOf(use('ann', 'echo', broken))).toBe('closed');
    opened.time.pass(5000);
    expect(await kindOf(use('ann', 'echo', broken))).toBe('closed');
    expect(await kindOf(use('ann', 'echo', broken))).toBe('quarantined');
    expect(opened.pool.stdioPids()).toEqual([]);
  });
});

test('[I8] repeated cycles of call, crash and idle end leave no process, handle or timer behind', async () => {
  const cycles = atFullSize({ full: 200, short: 6 });
  await use('warm-up');
  opened.time.pass(10 * 60_000);
  opened.pool.closeIdle();
  await waitUntil('all to end', () => childCount() === 0);
  const before = process.getActiveResourcesInfo().sort();
  for (let cycle = 0; cycle < cycles; cycle++) {
    const server = testServer({ ...files.manifest, id: `files-${cycle}` });
    await use('ann', 'echo', server);
    if (cycle % 2 === 0) await kindOf(use('ann', 'crash', server));
    else await use('bob', 'echo', server);
    if (cycle % 3 === 0) await opened.pool.dropAll(server.id);
    opened.time.pass(10 * 60_000);
    opened.pool.closeIdle();
  }
  await waitUntil('all to end', () => childCount() === 0);
  await waitUntil('handles are as before', () => process.getActiveResourcesInfo().length <= before.length);
  expect(opened.time.pending()).toBe(0);
  expect(opened.pool.stdioPids()).toEqual([]);
  printFigure(`${cycles} cycles; handles before ${before.length}, after ${process.getActiveResourcesInfo().length}`);
});

/** Counts the children of this process that run small-stdio, zombies included. */
function childCount(): number {
  return process.getActiveResourcesInfo().filter((each) => each === 'ProcessWrap').length;
}
