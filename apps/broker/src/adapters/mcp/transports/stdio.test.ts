import { execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { compileCache } from '#testing/compile-cache.ts';
import { limitElapsed, limitMemory, limitTurn } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { callOptions, failureOf, stdioTarget, textOf, trackUpstreams } from '../testing/open-for-test.ts';
import type { Upstream } from '../upstream.ts';

const { open, closeAll } = trackUpstreams();
afterEach(closeAll);

const faulty = (fault: string) => ({
  ...stdioTarget('apps/broker/src/testing/servers/fault-stdio.ts', fault),
  env: compileCache(),
});
/** A small program that starts in a quarter of the time, for what does not depend on the program. */
const small = () => ({ ...stdioTarget('apps/broker/src/testing/servers/small-stdio.ts'), env: compileCache() });
const everything = () => stdioTarget('node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio');

/** Deadlines that no test reaches, for calls that end in another way. */
const far = { timeoutMs: 3_600_000, totalTimeoutMs: 3_600_000 };

/** Returns the number of processes in the group, including zombies. */
const processesOf = (group: number | undefined) => processGroups().filter((each) => each === group).length;

function processGroups(): (number | undefined)[] {
  return execFileSync('ps', ['-eo', 'pgid='], { encoding: 'utf8' }).trim().split('\n').map(Number);
}

test('the official reference server “everything” is opened, listed and pinged, reports progress, sees only the environment it was given, and leaves no process', async () => {
  process.env['SOUK_CANARY'] = 'canary-5f1c';
  const upstream = await open({ ...everything(), env: { GIVEN: 'yes' } });
  delete process.env['SOUK_CANARY'];
  expect(upstream.era).toBe('legacy');
  expect((await upstream.listTools()).map((each) => each.name)).toEqual(expect.arrayContaining(['echo', 'get-env']));
  await upstream.ping(600_000);
  const shown = textOf(await upstream.callTool({ name: 'get-env' }, callOptions()));
  expect(JSON.parse(shown)).toEqual({ GIVEN: 'yes' });
  const seen: number[] = [];
  await upstream.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 4 } },
    callOptions({ onProgress: ({ progress }) => seen.push(progress) }),
  );
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(processesOf(upstream.pid)).toBe(1);
  await upstream.close();
  expect(processesOf(upstream.pid)).toBe(0);
});

describe('a stdio server', () => {
  /** Returns how a call ends that is not answered in time; the server stays in use. */
  const hangOnce = async (upstream: Upstream) => {
    const failure = await failureOf(upstream.callTool({ name: 'hang' }, callOptions({ timeoutMs: 200 })));
    await upstream.ping(600_000);
    return failure.kind;
  };

  test('of the modern era is probed in the process that is then used, and progress that it sends together with the answer is not lost', async () => {
    const upstream = await open(faulty('healthy'));
    expect(upstream.era).toBe('modern');
    expect(textOf(await upstream.callTool({ name: 'echo', arguments: { text: 'x' } }, callOptions()))).toBe('x');
    expect(processesOf(upstream.pid)).toBe(1);
    for (let round = 0; round < 10; round++) {
      const seen: number[] = [];
      const slow = { name: 'slow', arguments: { steps: 3, everyMs: 0 } };
      await upstream.callTool(slow, callOptions({ onProgress: ({ progress }) => seen.push(progress) }));
      expect(seen).toEqual([1, 2, 3]);
    }
    expect(await hangOnce(upstream)).toBe('timeout');
  });

  test('of the legacy era stays in use after a call that it did not answer in time', async () => {
    expect(await hangOnce(await open(small(), { era: 'legacy' }))).toBe('timeout');
  });

  test('that exits at the probe is restarted as legacy', async () => {
    expect(await open(faulty('exit-on-probe'))).toMatchObject({ era: 'legacy' });
  });

  test('may print a banner before its first message', async () => {
    const diagnostics: string[] = [];
    const upstream = await open(faulty('banner'), { onDiagnostics: (lines) => diagnostics.push(...lines) });
    await upstream.ping(600_000);
    expect(diagnostics).toEqual(['ready']);
  });

  test('that never answers is a timeout, and its process is ended', async () => {
    // a graceful close would take 5 s, and 4 s more if the program had to be killed
    await limitElapsed(
      4900,
      async () => expect((await failureOf(open(faulty('silent'), { connectTimeoutMs: 600 }))).kind).toBe('timeout'),
      { scales: 'start' },
    );
    // only children of this process: another test run may have such a program too
    const running = execFileSync('ps', ['-eo', 'ppid=,args='], { encoding: 'utf8' }).split('\n');
    const ours = running.filter((line) => Number.parseInt(line) === process.pid);
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.join('\n')).not.toContain('fault-stdio.ts silent');
  });

  test('that cannot be started is unreachable', async () => {
    const target = { type: 'stdio' as const, argv: ['/does/not/exist'] as const, cwd: '/', env: {} };
    expect((await failureOf(open(target))).kind).toBe('unreachable');
  });

  test('bad input 22: that exits during a call ends the call immediately', async () => {
    let reason: string | undefined;
    const upstream = await open(faulty('exit-on-call'), { onClosed: (why) => (reason = why?.message) });
    // not at the deadline of the call, which is much later
    const failure = await failureOf(upstream.callTool({ name: 'hang' }, callOptions(far)));
    expect(failure.kind).toBe('closed');
    expect(reason).toContain('exit code 3');
    expect(processesOf(upstream.pid)).toBe(0);
    expect((await failureOf(upstream.ping(600_000))).kind).toBe('closed');
  });

  test('bad input 23: that floods without a newline is killed within 10 MiB, and others keep working', async () => {
    const other = await open(small(), { era: 'legacy' });
    await limitMemory(64, async () => {
      const upstream = await open(faulty('flood'), { maxResultBytes: 64 * 1024 * 1024 });
      const failure = await failureOf(upstream.callTool({ name: 'hang' }, callOptions(far)));
      expect(failure).toMatchObject({
        kind: 'result_too_large',
        message: `a line of more than ${10 * 1024 * 1024} bytes`,
      });
      await waitUntil('it is gone', () => processesOf(upstream.pid) === 0);
    });
    await other.ping(600_000);
  });

  test('bad input 17: that prints a hundred lines that are not JSON-RPC ends the call', async () => {
    const upstream = await open(faulty('garbage'));
    expect((await failureOf(upstream.callTool({ name: 'hang' }, callOptions(far)))).kind).toBe('bad_upstream');
    await waitUntil('it is gone', () => processesOf(upstream.pid) === 0);
  });

  test('that answers with JSON of a hundred thousand levels ends the call', async () => {
    const upstream = await open(faulty('deep'));
    expect((await failureOf(upstream.callTool({ name: 'hang' }, callOptions(far)))).kind).toBe('bad_upstream');
  });

  test('that floods with notices does not block the event loop', async () => {
    await limitTurn(250, async () => {
      const upstream = await open(faulty('notices'));
      const failure = await failureOf(upstream.callTool({ name: 'hang' }, callOptions({ timeoutMs: 200 })));
      // if the deadline is noticed late, the program has already ended because of what it sent
      expect(['timeout', 'over_limit']).toContain(failure.kind);
    });
  });

  test('may write megabytes to stderr, of which a limited part is stored', async () => {
    const portions: number[] = [];
    const upstream = await open(faulty('chatty'), { onDiagnostics: ({ length }) => portions.push(length) });
    await upstream.callTool({ name: 'echo' }, callOptions(far));
    await waitUntil('output arrived', () => portions.length > 0);
    // stderr-lines.test.ts tests how often such portions come
    expect(Math.max(...portions)).toBeLessThanOrEqual(200);
  });

  test('that ignores the end of its input and SIGTERM is killed after 4 s', async () => {
    const upstream = await open(faulty('stubborn'));
    let are4SecondsOver = false;
    // nearly: the timers of the close are set later
    setTimeout(() => (are4SecondsOver = true), 3900);
    await upstream.close();
    expect(are4SecondsOver).toBe(true);
    expect(processesOf(upstream.pid)).toBe(0);
  });

  test('ends together with its own children', async () => {
    const upstream = await open(faulty('child'));
    await waitUntil('the helper runs', () => processesOf(upstream.pid) === 2);
    await upstream.close();
    await waitUntil('the group is empty', () => processesOf(upstream.pid) === 0);
    expect(processesOf(upstream.pid)).toBe(0);
  });

  test('five of them, opened and closed, leave no process and no handle', async () => {
    const before = process.getActiveResourcesInfo().length;
    const upstreams = [];
    for (let round = 0; round < 5; round++) upstreams.push(await open(small(), { era: 'legacy' }));
    await Promise.all(upstreams.map((upstream) => upstream.close()));
    const groups = processGroups();
    expect(upstreams.filter(({ pid }) => groups.includes(pid))).toEqual([]);
    await waitUntil('the handles are closed', () => process.getActiveResourcesInfo().length <= before + 1);
  });
});

describe('when this process ends without closing its servers', () => {
  const program = fileURLToPath(new URL('../../../testing/leave-upstream-open.ts', import.meta.url));

  test.each(['exit', 'SIGKILL'] as const)('by %s, the server ends too', async (how) => {
    const parent = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const group = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
    });
    expect(processesOf(group)).toBe(1);
    if (how === 'exit') parent.stdin.write('exit\n');
    else parent.kill('SIGKILL');
    await waitUntil('the group is empty', () => processesOf(group) === 0);
    expect(processesOf(group)).toBe(0);
  });
});
