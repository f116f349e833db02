import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { limitProcessor, limitTurn } from '#testing/figures/limits.ts';
import { connectModern, type TestClient } from '#testing/people/mcp-clients.ts';
import { sandboxProblem } from '#testing/network/sandbox-works.ts';
import { atFullSize, printFigure } from '#testing/figures/proof-size.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { makeCgroup } from '#testing/network/writable-cgroup.ts';
import { familyOf } from './process-family.ts';
import { maxTasks } from './program-limits.ts';
import { signInPerson } from '../../sign-in/testing/person.ts';

/** Users with ordinary accounts, and programs that take all they can. */
const mega = 1024 * 1024;
const problem = sandboxProblem();
const cgroup = makeCgroup();
const program = fileURLToPath(new URL('../../../../testing/servers/greedy-stdio.ts', import.meta.url));
let folder: string;
let app: TestApp;
/** Work that cleans up after a test. */
const leftovers: (() => Promise<unknown>)[] = [];
/** Time at which the broker's clock is stopped while it is set. */
let heldAtMs: number | undefined;

async function startApp(env: NodeJS.ProcessEnv): Promise<TestApp> {
  const stdioAllowlist = join(folder, 'allowlist.json');
  await writeFile(stdioAllowlist, JSON.stringify({ greedy: { argv: ['{node}', program], reads: [program] } }));
  return startTestApp({ paths: { stdioAllowlist }, env, clock: { now: () => heldAtMs ?? Date.now() } });
}
/** Deadlines for a slow machine, which takes long to start programs. */
const deadlines = { connectMs: 30_000, listMs: 60_000, callMs: 300_000 };
const deploy = (to: TestApp, id: string, isolation = 'perUser', status: 'connected' | 'error' = 'connected') =>
  deployManifest(to, { id, slug: id, isolation, connection: { type: 'stdio', command: 'greedy' }, deadlines }, status);

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'greedy-'));
  app = await startApp({ PERSONAL_FOLDER_MB: '40', PROGRAM_MEMORY_MB: '128', PERSONAL_MEMORY_MB: '160' });
  for (const id of ['one', 'two']) await deploy(app, id);
  await deploy(app, 'shared', 'shared');
});
afterEach(async () => {
  heldAtMs = undefined;
  for (const end of leftovers.splice(0).toReversed()) await end();
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
  cgroup?.remove();
});

let people = 0;
type Answer = { isError: boolean; text: string; code: unknown };
type Call = (tool: string, args?: object) => Promise<Answer>;
/** Creates a new user with a client. */
async function person(at = app, email = `person-${people++}@souk.test`): Promise<{ call: Call; client: TestClient }> {
  const { token } = await at.identity.createPersonalToken({ email, name: 'greedy' });
  const client = await connectModern(`${at.publicUrl}/mcp`, token);
  return {
    client,
    async call(tool, args = {}) {
      const { isError, content, _meta } = await client.callTool({ name: tool, arguments: { ...args } });
      const meta = { ...(_meta as Record<string, unknown> | undefined) };
      return { isError: isError === true, text: JSON.stringify(content), code: meta['souk/code'] };
    },
  };
}
const pidsOfOne = () => app.upstreams.pool.stdioPids('one');
const figures = () => ({ ...app.upstreams.programWatch.figures() });

/**
 * Runs `act` as a new user, and checks that a neighbor's process stays the same and responds. The broker works for at
 * most a second.
 * @returns the calls of the user
 */
async function besideNeighbour(act: (call: Call) => Promise<void>): Promise<Call> {
  const neighbour = await person();
  leftovers.push(() => neighbour.client.close());
  const before = await neighbour.call('one__echo');
  let { call } = await person();
  let rounds = 0;
  await limitProcessor(1000, async () => {
    if (rounds++ > 0) ({ call } = await person());
    await act(call);
  });
  expect(await neighbour.call('one__echo')).toEqual(before);
  return call;
}

describe('programs that take all they can, alongside those of earlier tests', { shuffle: false }, () => {
  describe('files', () => {
    test('row 69: 60 files of 1 MB are refused at the quota, with a text that names the remedy, and neighbors are not affected', async () => {
      await besideNeighbour(async (call) => {
        const write = () => call('one__write', { files: 60, bytes: mega });
        // the files of all servers count together; a start slightly above the quota may write the same files again
        let refused = await write();
        await waitUntil('both services are refused', async () => {
          refused = await write();
          return refused.code === 'storage_full' && (await call('two__echo')).code === 'storage_full';
        });
        const { text } = refused;
        expect(text).toMatch(/one was stopped: the files take (more than )?\d+ MB, and 40 MB are allowed/);
        expect(text).toContain(`${app.publicUrl}/service/one`);
      });
    });

    test('slightly above the quota a program starts and may shrink its files, and a call that grows them ends it', async () => {
      const { call } = await person();
      // programs that ran: one that is not even started is not logged
      const ended = () => app.logged().split('a program was ended: the files take').length - 1;
      const before = ended();
      await call('one__write', { files: 41, bytes: mega });
      await waitUntil('the program is ended', () => ended() === before + 1);
      // the files are counted after the response, or before it on a slow machine
      await call('one__write', { files: 6, bytes: mega });
      await waitUntil('it is ended again', () => ended() === before + 2);
      expect((await call('one__empty')).text).toContain('done');
      expect((await call('one__write', { files: 30, bytes: mega })).isError).toBe(false);
      const [pid] = app.upstreams.pool.stdioPids('one').slice(-1);
      await waitForLooks(2);
      expect(app.upstreams.pool.stdioPids('one')).toContain(pid);
    });

    test('many small files, open but deleted files, and folders deeper than a path count; holes do not', async () => {
      const deep = await signInPerson(app.publicUrl, 'deep@souk.test');
      for (const [tool, args] of [
        ['write', { files: 3000, bytes: 1 }],
        ['hide', { bytes: 60 * mega }],
        ['deepen', {}],
      ] as const) {
        const { call } = await person(app, tool === 'deepen' ? 'deep@souk.test' : undefined);
        const before = figures().folder;
        await call(`one__${tool}`, args);
        await waitUntil(`${tool} ends it`, () => figures().folder === before + 1);
      }
      // the user can delete them anyway
      const files = () => deep.call('GET', `/api/users/${deep.userId}/server-access/one`);
      expect((await files()).body).toMatchObject({
        files: { allowedBytes: 40 * mega, servers: [{ serverId: 'one', name: 'one' }] },
      });
      await deep.call('DELETE', `/api/users/${deep.userId}/program-files/one`);
      expect((await files()).body).not.toHaveProperty('files');
      expect(await deep.call('DELETE', `/api/users/${deep.userId}/program-files/one`)).toMatchObject({ status: 404 });
      const { call } = await person();
      const before = figures();
      const { text } = await call('one__echo');
      for (const bytes of [38 * mega, 39 * mega]) expect((await call('one__sparse', { bytes })).isError).toBe(false);
      expect((await call('one__sparse', { bytes: 41 * mega })).text).toContain('EFBIG');
      await waitForLooks(2);
      expect(await call('one__echo')).toMatchObject({ text });
      expect(figures()).toEqual(before);
    });

    test('a shared program has a separate quota', async () => {
      const { call } = await person();
      await waitUntil('it is refused', async () => {
        const { code } = await call('shared__write', { files: 60, bytes: mega });
        return code === 'storage_full' && (await call('shared__echo')).code === 'storage_full';
      });
      // no user can delete any of it
      expect((await call('shared__echo')).text).toContain(
        'shared is stopped until its administrator has made room for its files',
      );
      expect(app.logged()).toContain('and 40 MB are allowed: make room in files/shared/nobody of the data folder');
      expect((await call('one__echo')).isError).toBe(false);
    });
  });

  describe('memory', () => {
    test('row 69: a program that takes 1 GB ends with its call, which says why', async () => {
      // the restart delay of a program depends on when it ended
      heldAtMs = Date.now();
      const call = await besideNeighbour(async (greedy) => {
        const answer = await greedy('one__grow', { bytes: 1024 * mega, slowly: true });
        expect(answer.code).toBe('upstream_unavailable');
        expect(answer.text).toContain('it took more than 128 MB of memory');
      });
      expect((await call('one__echo')).isError).toBe(false);
      await call('one__grow', { bytes: 1024 * mega, slowly: true });
      expect((await call('one__echo')).text).toContain(
        'one ended unexpectedly (it took more than 128 MB of memory) and is starting again',
      );
      await app.usage.flush();
      const { rows } = await app.db.query(`select outcome, reason from usage_events where name = 'grow'`);
      expect(rows).toContainEqual({ outcome: 'failed', reason: 'over_limit' });
    });

    test('all programs of a user share one limit, and the largest of them ends', async () => {
      const { call } = await person();
      const begun = figures().memory;
      await call('one__grow', { bytes: 88 * mega });
      const pid = pidsOfOne().at(-1);
      await waitForLooks(2);
      expect(figures().memory).toBe(begun);
      const { text } = await call('two__echo');
      await call('two__grow', { bytes: 64 * mega });
      await waitUntil('one of them is ended', () => figures().memory > begun);
      expect(app.logged()).toContain('it took more than 160 MB of memory together with your other programs');
      await waitUntil('it has ended', () => !pidsOfOne().includes(pid ?? 0));
      expect(await call('two__echo')).toMatchObject({ text });
    });

    test.skipIf(problem !== undefined)(
      'what a program writes to in-memory file systems counts, and /dev is not one of them',
      async () => {
        const { call } = await person();
        expect((await call('one__scratch', { folder: '/dev', bytes: mega })).text).toContain('EROFS');
        const before = figures().memory;
        await call('one__scratch', { folder: '/tmp', bytes: 60 * mega });
        await waitForLooks(2);
        expect(figures().memory).toBe(before);
        // together, and with what Node takes, the two folders exceed the limit; one of them alone does not
        await call('one__scratch', { folder: '/dev/shm', bytes: 60 * mega });
        await waitUntil('it is ended', () => figures().memory === before + 1);
      },
    );

    test.skipIf(problem !== undefined || !cgroup)(
      'if the operator provides a control group, the kernel limits a program: kernel memory counts too',
      async () => {
        const queue = async (at: TestApp) => (await person(at)).call('one__queue', { count: 480 });
        const before = figures();
        // socket buffers belong to no process
        expect((await queue(app)).isError).toBe(false);
        await waitForLooks(2);
        expect(figures()).toEqual(before);

        const held = await startApp({ PROGRAMS_CGROUP: cgroup?.path, PROGRAM_MEMORY_MB: '128' });
        try {
          await deploy(held, 'one');
          const neighbour = await person(held);
          const { text } = await neighbour.call('one__echo');
          const [pid = 0] = held.upstreams.pool.stdioPids('one');
          expect(readFileSync(`/proc/${pid}/cgroup`, 'utf8')).toMatch(/souk-[0-9a-f]{32}\/souk-/);
          const answer = await queue(held);
          expect(answer.code).toBe('upstream_unavailable');
          expect(answer.text).toContain('it took more than 128 MB of memory');
          expect(held.upstreams.programWatch.figures().memory).toBe(1);
          expect(held.logged()).toContain('a program was ended: it took more than 128 MB of memory');
          expect(await neighbour.call('one__echo')).toMatchObject({ text });
        } finally {
          await held.stop();
        }
        await waitUntil('its groups to be removed', () =>
          readdirSync(cgroup?.path ?? '').every((name) => !name.startsWith('souk-')),
        );
      },
    );

    test('row 69: a program that forks 300 times ends', async () => {
      await besideNeighbour(async (call) => {
        await call('one__echo');
        const pid = pidsOfOne().at(-1) ?? 0;
        // as root the kernel refuses no fork, and the broker ends the program; otherwise the refusal ends it
        await call('one__fork', { count: 300 });
        await waitUntil('no part of it runs', () => familyOf(pid, maxTasks).pids.length === 0);
        expect(pidsOfOne()).not.toContain(pid);
      });
    });
  });

  const message = (rest: object) => JSON.stringify({ jsonrpc: '2.0', ...rest });
  const question = { role: 'user', content: { type: 'text', text: 'x', annotations: null } };
  const dear = { maxTokens: 1, messages: Array.from({ length: 10_000 }, () => question) };
  const dearLine = message({ id: 1, method: 'sampling/createMessage', params: dear });
  const strayAnswer = message({ id: 12_345, result: {} });

  test.each([
    ['lines to stderr', 'chatter', '', 'it sent more than 64 MB to stderr within a minute'],
    [
      'unsolicited responses',
      'notify',
      strayAnswer,
      'it sent more than 5000 messages, or 8 MB of them, without being asked',
    ],
    [
      'messages that are expensive to read',
      'notify',
      dearLine,
      'it sent more than 5000 messages, or 8 MB of them, without being asked',
    ],
  ])('row 69: %s cost the broker at most a second, then the program ends and says why', async (_, tool, line, why) => {
    await besideNeighbour(async (call) => {
      const { text } = await call(`one__${tool}`, { line });
      expect(text).toContain(`one was stopped: ${why}`);
    });
  });

  test('[programs] concurrent attackers with ordinary accounts cost the broker at most a second each, and no turn of its loop is long', async () => {
    const attacks: [string, object][] = [
      ['write', { files: 60, bytes: mega }],
      ['write', { files: 5000, bytes: 1 }],
      ['grow', { bytes: 1024 * mega, slowly: true }],
      ['fork', { count: 300 }],
      ['chatter', {}],
      ['notify', { line: dearLine }],
    ];
    // they are read slowly: sending all they may takes them 12 s and more
    const slowAttacks: [string, object][] = [
      ['notify', { line: message({ method: 'notifications/message', params: { level: 'info', data: 'x' } }) }],
      ['notify', { line: message({ method: 'notifications/tools/list_changed' }) }],
      ['notify', { line: message({ id: 1, method: 'ping' }) }],
      ['notify', { line: '' }],
    ];
    const all = atFullSize({ full: [...attacks, ...slowAttacks, ...attacks, ...attacks], short: attacks });
    const neighbour = await person();
    const before = await neighbour.call('one__echo');
    const others = new Set(pidsOfOne());
    const attack = async () => {
      await Promise.all(
        all.map(async ([tool, args]) => {
          const { call } = await person();
          await call(`one__${tool}`, args);
        }),
      );
      await waitUntil('all of them are ended', () => pidsOfOne().every((pid) => others.has(pid)));
    };
    await limitProcessor(1000 * all.length, () => limitTurn(250, attack, { what: 'turn' }), { what: 'processor' });
    printFigure(`${all.length} attackers at once: all are ended, a neighbor's program works on`);
    expect(await neighbour.call('one__echo')).toEqual(before);
  });

  test('with too little free disk space no program runs: the status says so to all, the log and a figure to the operator', async () => {
    const full = await startApp({ FREE_DISK_MB: '1000000' });
    leftovers.push(() => full.stop());
    await deploy(full, 'one', 'perUser', 'error');
    expect(full.catalogue.snapshot().byId.get('one')?.statusDetail).toContain('almost full');
    expect(full.upstreams.programWatch.figures().disk).toBeGreaterThan(0);
    expect(full.upstreams.pool.stdioPids()).toEqual([]);
    // it was not even started
    expect(full.logged()).not.toContain('a program was ended');
    expect(full.logged()).toMatch(
      /programs \(stdio servers\) are stopped: the disk of the data folder has \d+ MB free/,
    );
  });

  test('a program that fills the disk is ended while there is still room for the database', async () => {
    const dataDir = await mkdtemp('/dev/shm/souk-greedy-');
    leftovers.push(() => rm(dataDir, { recursive: true, force: true }));
    const { bavail, bsize } = await statfs(dataDir);
    const floorMb = Math.floor((bavail * bsize) / mega) - 200;
    const full = await startApp({ DATA_DIR: dataDir, FREE_DISK_MB: String(floorMb), PERSONAL_FOLDER_MB: '10000' });
    leftovers.push(() => full.stop());
    await deploy(full, 'one');
    const { call } = await person(full);
    const answer = await call('one__write', { files: 400, bytes: mega, slowly: true });
    expect(answer.text).toContain('is stopped until its administrator has made room on the disk');
  });
});

/** Waits until all programs were checked this many more times. */
async function waitForLooks(count: number): Promise<void> {
  const { looks } = app.upstreams.programWatch;
  const { processes, files } = { ...looks() };
  await waitUntil(
    'enough processes and files',
    () => looks().processes >= processes + count && looks().files >= files + count,
  );
}
