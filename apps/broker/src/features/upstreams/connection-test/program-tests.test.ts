import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adminServerEndpoints } from '@souk/contract/admin/servers.ts';
import { createClient, type Client } from '@souk/contract/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseManifest } from '#features/catalogue/index.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { sandboxProblem } from '#testing/network/sandbox-works.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { manifestText, testingAdministrator } from './testing/testing-administrator.ts';

const testing = join(import.meta.dirname, '../../../testing');
const hasSandbox = sandboxProblem() === undefined;
let app: TestApp;
let folder: string;
let admin: Awaited<ReturnType<typeof testingAdministrator>>;
let api: Client<typeof adminServerEndpoints>;

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'program-tests-'));
  const stdioAllowlist = join(folder, 'allowlist.json');
  const small = join(testing, 'servers/small-stdio.ts');
  const program = (...args: string[]) => ({ argv: ['{node}', small, ...args], reads: [small] });
  const faulty = (fault: string) => ({
    argv: ['{node}', join(testing, 'servers/fault-stdio.ts'), fault],
    reads: ['/tmp', '/work', '/root', '/home'],
  });
  const allowlist = {
    fault: { ...program(), secrets: ['API_TOKEN'] },
    keyless: { ...program(), secrets: ['OTHER_TOKEN'] },
    keeper: { ...program(), env: { NOTES: '{personDir}/notes' } },
    crash: program('crash-at-start'),
    lingers: program('lingers'),
    silent: { argv: ['/bin/sh', '-c', 'echo "it is $API_TOKEN" >&2; sleep 600 & sleep 600'], secrets: ['API_TOKEN'] },
    missing: { argv: ['/nonexistent/program'] },
    family: faulty('child'),
  };
  await writeFile(stdioAllowlist, JSON.stringify(allowlist));
  app = await startTestApp({
    paths: { stdioAllowlist },
    env: {
      ...withoutHealthChecks,
      UPSTREAM_ENV_FAULT__API_TOKEN: 'canary-token',
      UPSTREAM_ENV_SILENT__API_TOKEN: 'canary-silent',
    },
  });
  admin = await testingAdministrator(app.publicUrl);
  const token = async () => admin.accessToken;
  api = createClient(adminServerEndpoints, { baseUrl: app.publicUrl, fetch, token });
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

const stdio = (command: string, more: Record<string, unknown> = {}) =>
  manifestText({ id: 'tested', connection: { type: 'stdio', command }, ...more });
const run = (command: string, more?: Record<string, unknown>) => admin.test({ manifest: stdio(command, more) });

/** Returns the processes started by this one, at any depth. */
function descendants(pid = process.pid): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const path = `/proc/${pid}/task/${task}/children`;
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
  });
  return children.flatMap((child) => [child, ...(existsSync(`/proc/${child}/task`) ? descendants(child) : [])]);
}

test('[MAN-14] a program is tested from its alias to its tools, in the sandbox, in a separate folder', async () => {
  const files = join(app.dataDir, 'files', 'tested', 'nobody');
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, 'kept.txt'), 'kept');
  const told = await run('fault');
  expect(told.steps).toEqual(
    ['manifest', 'alias', 'sandbox', 'start', 'initialize', 'lists', 'findings'].map((step) => `${step} passed`),
  );
  expect(told.step('alias')?.text).toBe('fault is on the allow-list');
  expect(told.step('sandbox')?.text).toBe(
    hasSandbox ? 'bubblewrap, without a network' : 'None on this machine: the program runs as the user of the broker',
  );
  expect(told.step('start')?.text).toMatch(/^process \d+$/);
  expect(told.step('lists')?.text).toBe('6 tools, 0 prompts, 0 resources');
  expect(told.end?.result).toBe('passed');
  // written by a process of the deployed version
  expect(readFileSync(join(files, 'kept.txt'), 'utf8')).toBe('kept');
});

test('a program whose one folder all users would share is reported wherever its manifest is shown', async () => {
  const shared =
    /^Everyone shares one folder of the program “keeper”: what one person keeps there, .*Set isolation to perUser/;
  const texts = async (command: string, isolation?: string) => {
    const source = stdio(command, { id: 'kept', version: `1.0.${versions++}`, ...(isolation && { isolation }) });
    const manifest = parseManifest(source, app.policy);
    await app.catalogue.upload(manifest, { via: 'command' });
    const { effects } = await api.getServerDifferences({ params: { id: 'kept' }, query: {} });
    const tested = (await admin.test({ manifest: source })).events.flatMap((event) =>
      event.type === 'findings' ? event.findings : [],
    );
    return [effects, tested.map(({ text }) => text)];
  };
  let versions = 0;
  const isTold = (all: string[][]) => all.map((one) => one.some((text) => shared.test(text)));
  expect(isTold(await texts('keeper', 'shared'))).toEqual([true, true]);
  expect(isTold(await texts('keeper'))).toEqual([false, false]);
  const own = await texts('fault', 'shared');
  expect(own.flat().filter((text) => text.includes('folder'))).toEqual([]);
});

test('an alias without its secret, a program that cannot be started and one that exits fail at their steps', async () => {
  const keyless = await run('keyless');
  expect(keyless.step('alias')).toMatchObject({
    result: 'failed',
    text: expect.stringContaining('UPSTREAM_ENV_KEYLESS__OTHER_TOKEN is not set'),
  });
  const crash = await run('crash');
  expect(crash.step('initialize')).toMatchObject({ result: 'failed', text: expect.stringContaining('exit code 3') });
  const missing = await run('missing');
  expect(missing.steps.some((step) => step === 'start failed' || step === 'initialize failed')).toBe(true);
  expect(missing.end?.result).toBe('failed');
});

test('what a program writes is reported without secrets, and is in the log of its server', async () => {
  const silent = { deadlines: { connectMs: 700, listMs: 500 } };
  const told = await run('silent', { ...silent, id: 'silent' });
  expect(told.step('initialize')).toMatchObject({ result: 'failed' });
  expect(told.events.find((event) => event.type === 'lines')).toMatchObject({
    lines: ['it is [redacted]'],
  });
  // a staged server has a log of its tests
  await app.catalogue.stage(parseManifest(stdio('silent', { id: 'silent', isolation: 'shared' }), app.policy), {
    origin: 'admin',
  });
  const { lines, isPerPerson } = await api.getServerLog({ params: { id: 'silent' } });
  expect([lines, isPerPerson]).toEqual([['it is [redacted]'], false]);
});

test('tests leave no process, no folder and no slot in use, however they end', async () => {
  const before = new Set(descendants());
  for (const command of ['fault', 'crash', 'lingers', 'family'] as const) await run(command);
  const stream = await admin.open({ manifest: stdio('silent', { deadlines: { connectMs: 20_000, listMs: 500 } }) });
  await waitUntil('the program to run', () => stream.text().includes('"step":"start","result":"passed"'));
  expect(app.upstreams.tests.childrenOf('tested')).toHaveLength(1);
  stream.abort();
  await waitUntil('the test to have ended', async () => {
    const { rows } = await app.db.query('select from connection_tests');
    return rows.length === 0;
  });
  // a test has ended when nothing of it is left
  expect(descendants().filter((pid) => !before.has(pid))).toEqual([]);
  expect(readdirSync(join(app.dataDir, 'connection-tests'))).toEqual([]);
  expect(app.upstreams.tests.childrenOf('tested')).toEqual([]);
});

test("processes are listed with use, age and memory; a user's log lines are hidden from administrators", async () => {
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  for (const isolation of ['shared', 'perUser'] as const) {
    const id = isolation.toLowerCase();
    await deployManifest(app, { id, slug: id, isolation, connection: { type: 'stdio', command: 'fault' } });
  }
  const client = await connectModern(`${app.publicUrl}/mcp`, token);
  for (const id of ['shared', 'peruser'])
    await client.callTool({ name: `${id}__complain`, arguments: { text: `ann of ${id}` } });
  for (const [id, use, isPerPerson] of [
    ['shared', 'shared', false],
    ['peruser', 'person', true],
  ] as const) {
    await waitUntil('the line to be stored', () => app.upstreams.programs.linesOf(id).join().includes(`ann of ${id}`));
    const { now } = await api.getServerFigures({ params: { id } });
    const [program] = app.upstreams.pool.programsOf(id);
    expect(now?.children).toEqual([
      {
        pid: program?.pid,
        use,
        startedAt: now?.children[0]?.startedAt,
        // as the system reports it now
        memoryBytes: expect.any(Number),
      },
    ]);
    // computed from two clocks each time
    expect(Date.parse(now?.children[0]?.startedAt ?? '')).toBeCloseTo(program?.startedAtMs ?? 0, -2);
    // the sandbox's own process takes a megabyte or two: the program in it is counted
    expect(now?.children[0]?.memoryBytes).toBeGreaterThan(20_000_000);
    const log = await api.getServerLog({ params: { id } });
    expect(log.isPerPerson).toBe(isPerPerson);
    expect(log.lines.join().includes('ann of')).toBe(!isPerPerson);
    expect(log.lines.join()).not.toContain('canary-token');
  }
  await client.close();
});
