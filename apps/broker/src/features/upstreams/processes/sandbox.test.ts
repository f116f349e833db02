import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { textOf } from '#adapters/mcp/testing/open-for-test.ts';
import { openSandbox, type Sandbox } from '#adapters/mcp/transports/sandbox.ts';
import { createLog } from '#platform/log.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { sandboxProblem } from '#testing/network/sandbox-works.ts';
import { startTestApp } from '#testing/start-app.ts';
import { createPersonalFolders } from './personal-folders.ts';
import { openPool } from '../testing/open-pool.ts';
import { testServer } from '../testing/test-server.ts';

/** Deadlines for a slow machine. */
const deadlines = { connectMs: 30_000, listMs: 60_000 };
const problem = sandboxProblem();
const works = problem === undefined;
if (!works) process.stderr.write(`SKIPPED: ${problem}: what programs can reach is not proved\n`);

describe.skipIf(!works)('a program in the sandbox', () => {
  let opened: Awaited<ReturnType<typeof openPool>>;
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox({ required: true, log: createLog('silent') });
    opened = await openPool({ sandbox });
  });
  afterAll(() => opened.close());

  const files = testServer({
    id: 'files',
    connection: { type: 'stdio', command: 'files' },
    isolation: 'perUser',
    deadlines,
  });

  async function look(wanted: Record<string, string[]>): Promise<Record<string, string>> {
    const lease = await opened.pool.acquire(files, 'ann');
    const result = await lease.upstream.callTool(
      { name: 'look', arguments: wanted },
      { signal: new AbortController().signal, timeoutMs: 600_000, totalTimeoutMs: 600_000 },
    );
    lease.release();
    return JSON.parse(textOf(result));
  }

  test('bad input 25: reaches neither the metadata address of clouds nor a port of this machine', async () => {
    const server = createServer();
    const { port, close } = await listenLocally(server);
    onTestFinished(close);
    const addresses = ['169.254.169.254:80', `127.0.0.1:${port}`, '1.1.1.1:53'];
    const found = await look({ addresses });
    for (const address of addresses) expect(found[address]).toMatch(/^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH)$/);
  });

  test("cannot read our files, other users' files or the broker's environment", async () => {
    const other = createPersonalFolders(opened).open('files', 'bob');
    const key = join(opened.dataDir, 'master.key');
    writeFileSync(key, 'secret');
    await look({});
    const found = await look({
      files: [key, other, '/etc/shadow', '/etc/passwd', import.meta.filename, '/proc/1/environ'],
    });
    const environment = found['/proc/1/environ'] ?? '';
    delete found['/proc/1/environ'];
    expect(new Set(Object.values(found))).toEqual(new Set(['ENOENT']));
    expect(environment).toMatch(/^yes: /);
    const names = environment
      .slice('yes: '.length)
      .split('\0')
      .map((line) => line.split('=')[0]);
    const given = ['PATH', 'HOME', 'LANG', 'NODE_ENV', 'PWD', ''];
    expect(names.filter((name) => !given.includes(name ?? ''))).toEqual([]);
  });

  test('can write only in its own folder', async () => {
    const own = join(createPersonalFolders(opened).open('files', 'ann'), 'mine.txt');
    const elsewhere = join(opened.dataDir, 'x');
    const found = await look({ writable: [own, '/usr/x', '/x', elsewhere] });
    expect(found[own]).toBe('yes: undefined');
    for (const path of ['/usr/x', '/x']) expect(found[path]).toBe('EROFS');
    // the test's folder is in /tmp, which is a separate in-memory file system for the program
    expect(existsSync(elsewhere)).toBe(false);
    expect(existsSync(own)).toBe(true);
  });

  test('sees only its own process', async () => {
    const pids = readdirSync('/proc')
      .filter((name) => Number(name) > 100)
      .slice(0, 20);
    const found = await look({ files: pids.map((pid) => `/proc/${pid}/cmdline`) });
    expect(Object.values(found).every((answer) => answer === 'ENOENT')).toBe(true);
  });
});

test('if the sandbox is required and bwrap does not work, programs are not started', async () => {
  const { pool, close } = await openPool({
    sandbox: await openSandbox({ required: true, log: createLog('silent'), searchPath: '/nowhere' }),
  });
  onTestFinished(close);
  const files = testServer({ id: 'files', connection: { type: 'stdio', command: 'files' } });
  await expect(pool.acquire(files, 'ann')).rejects.toMatchObject({
    kind: 'no_sandbox',
    message: 'bwrap is not installed',
  });
  expect(pool.stdioPids()).toEqual([]);
});

test("the bundled programs work in this machine's sandbox: files and memories are kept, and other users' are not visible", async () => {
  const app = await startTestApp();
  onTestFinished(() => app.stop());
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  for (const id of ['everything', 'filesystem', 'memory', 'sequential-thinking']) {
    await deployManifest(app, {
      id,
      slug: id.slice(0, 10),
      isolation: 'perUser',
      connection: { type: 'stdio', command: id },
      deadlines,
    });
  }
  const client = await connectModern(`${app.publicUrl}/mcp`, token);
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args });
    return { ...result, text: JSON.stringify(result.content) };
  };
  await limitElapsed(
    5000,
    async () => {
      // a server without a running process
      await app.upstreams.pool.dropAll('everything');
      expect((await call('everything__echo', { message: 'hello' })).text).toContain('hello');
    },
    { scales: 'start', what: 'the first call to a cold stdio server' },
  );
  expect((await call('everything__echo', { message: 'again' })).text).toContain('again');
  const listed = await call('filesystem__list_allowed_directories', {});
  const folder = /(\/[^"\\]*files[^"\\]*)/.exec(listed.text)?.[1] ?? '';
  await call('filesystem__write_file', { path: join(folder, 'a.txt'), content: 'kept' });
  expect((await call('filesystem__read_text_file', { path: join(folder, 'a.txt') })).text).toContain('kept');
  await call('memory__create_entities', { entities: [{ name: 'Ann', entityType: 'person', observations: ['kept'] }] });
  expect((await call('memory__read_graph', {})).text).toContain('kept');
  const thought = { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  expect((await call('sequential__sequentialthinking', thought)).isError).toBeFalsy();
  expect(app.logged().includes('run without a sandbox')).toBe(!works);
});
