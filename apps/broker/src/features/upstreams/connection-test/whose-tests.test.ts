import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startFaultServer, type FaultServer } from '#testing/servers/fault-server.ts';
import { limitFigure } from '#testing/figures/limits.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { connectNotes, signInPerson } from '../sign-in/testing/person.ts';
import { manifestText, testingAdministrator, toldBy } from './testing/testing-administrator.ts';

const notes = readFileSync(new URL('../../../../../../catalogue/deployed/notes.json', import.meta.url), 'utf8');
/** More administrators than concurrent tests. */
const many = Array.from({ length: 8 }, (_, index) => `admin${index}@souk.test`);
const userIds: string[] = [];
let app: TestApp;
let fixture: HttpFixture;
let faults: FaultServer;
let first: Awaited<ReturnType<typeof testingAdministrator>>;
let second: Awaited<ReturnType<typeof testingAdministrator>>;

beforeAll(async () => {
  fixture = await startHttpFixture();
  faults = await startFaultServer();
  app = await startTestApp({
    allowAddresses: [fixture.address, faults.address],
    env: { ...withoutHealthChecks, ADMIN_EMAILS: ['admin@souk.test', 'second@souk.test', ...many].join() },
  });
  await deployManifest(app, { ...JSON.parse(notes), deadlines: patient });
  first = await testingAdministrator(app.publicUrl);
  second = await testingAdministrator(app.publicUrl, 'second@souk.test');
  for (const email of many) userIds.push((await signInPerson(app.publicUrl, email)).userId);
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
  await faults?.close();
});

/** Deadlines for a slow machine. */
const patient = { connectMs: 30_000, listMs: 60_000 };
const hanging = () => ({
  manifest: manifestText({
    id: 'hanging',
    connection: { type: 'http', url: faults.url('hang', 'always') },
    deadlines: patient,
  }),
});

describe('tests of several administrators, until the broker stops', { shuffle: false }, () => {
  test("a server with sign-in ends at its challenge, or continues with the administrator's own account only", async () => {
    const asked = await first.test({ serverId: 'notes' });
    expect(asked.steps.slice(-3)).toEqual(['initialize passed', 'lists not-reached', 'findings not-reached']);
    expect(asked.end).toMatchObject({ result: 'needs_account', text: "needs a person's account" });
    // without an account the result is the same
    expect((await first.test({ serverId: 'notes', withOwnAccount: true })).end?.result).toBe('needs_account');
    await connectNotes(await signInPerson(app.publicUrl, 'admin@souk.test'), 'Ada');
    const own = await first.test({ serverId: 'notes', withOwnAccount: true });
    expect(own.end).toMatchObject({ result: 'passed' });
    expect(own.step('lists')?.text).toMatch(/^[1-9]\d* tools/);
    // not requested, and another administrator has none
    expect((await first.test({ serverId: 'notes' })).end?.result).toBe('needs_account');
    expect((await second.test({ serverId: 'notes', withOwnAccount: true })).end?.result).toBe('needs_account');
  });

  test('an account is never sent to another address than the one it was created for', async () => {
    fixture.seen.requests.length = 0;
    const elsewhere = {
      ...JSON.parse(notes),
      version: '9.0.0',
      connection: { type: 'http', url: fixture.url },
      deadlines: patient,
    };
    const told = await first.test({ manifest: JSON.stringify(elsewhere), withOwnAccount: true });
    // the fixture requires no sign-in
    expect(told.end?.result).toBe('passed');
    expect(fixture.seen.requests.length).toBeGreaterThan(0);
    expect(fixture.seen.requests.some(({ headers }) => 'authorization' in headers)).toBe(false);
  });

  test('an administrator runs one test at a time; when they leave, it ends and the next may begin', async () => {
    const begin = async () => {
      const stream = await first.open(hanging());
      await waitUntil('the handshake to be in progress', () => stream.text().includes('"working","step":"initialize"'));
      return stream;
    };
    /** Leaves the running test. @returns the time it took to end */
    const leave = async (stream: Awaited<ReturnType<typeof begin>>) => {
      const leftAtMs = Date.now();
      stream.abort();
      await waitUntil('the socket to be closed', () => faults.openSockets() === 0);
      const tookMs = Date.now() - leftAtMs;
      await waitUntil('the next test to be allowed', async () => {
        const next = await first.open({ serverId: 'notes' });
        await next.ended;
        return next.status === 200;
      });
      return tookMs;
    };
    const stream = await begin();
    const refused = await first.open({ serverId: 'notes' });
    await refused.ended;
    expect([refused.status, JSON.parse(refused.text()).code]).toEqual([429, 'too_many_tests']);
    // another administrator may run one
    expect((await second.test({ serverId: 'notes' })).end?.result).toBe('needs_account');
    await leave(stream);
    // long before its deadline
    await limitFigure(5_000, 'ms to end', async () => leave(await begin()), { scales: 'none' });
  });

  test('a test ends immediately when its administrator loses access', async () => {
    const third = await testingAdministrator(app.publicUrl, many[7]);
    const stream = await third.open(hanging());
    await waitUntil('the handshake to be in progress', () => stream.text().includes('"working","step":"initialize"'));
    const answer = await fetch(`${app.publicUrl}/admin/users/${userIds[7]}/sign-out`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.accessToken}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(200);
    await stream.ended;
    expect(stream.text()).not.toContain('"type":"end"');
    await waitUntil('the socket to be closed', () => faults.openSockets() === 0);
  });

  test('a broker runs at most eight concurrent tests, of which the operator has one', async () => {
    const people = [undefined, ...userIds];
    const start = (userId: string | undefined) =>
      app.upstreams.tests.start({ ...hanging(), userId, withOwnAccount: false });
    const running = await Promise.all(people.slice(0, 8).map(start));
    await expect(start(people[8])).rejects.toMatchObject({
      code: 'too_many_tests',
      message: 'Several connection tests are running on this broker. Try again in a moment.',
    });
    for (const one of running) {
      one.cancel();
      await one.run(() => {});
    }
    const next = await Promise.all([start(people[8]), start(undefined)]);
    await expect(start(undefined)).rejects.toMatchObject({ code: 'too_many_tests' });
    for (const one of next) {
      one.cancel();
      await one.run(() => {});
    }
  });

  test('only administrators may test, and only in the web app', async () => {
    const { token } = await app.identity.createPersonalToken({ email: 'admin@souk.test', name: 'test' });
    const person = await testingAdministrator(app.publicUrl, 'ann@souk.test');
    for (const [bearer, status] of [
      [person.accessToken, 403],
      [token, 403],
      [undefined, 401],
    ] as const) {
      const answer = await fetch(`${app.publicUrl}/admin/connection-tests`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
        body: JSON.stringify({ serverId: 'notes' }),
      });
      expect(answer.status).toBe(status);
    }
  });

  test('a stop of the broker cancels running tests, and says so', async () => {
    const stream = await first.open(hanging());
    await waitUntil('the handshake to be in progress', () => stream.text().includes('"working","step":"initialize"'));
    await app.stop();
    await stream.ended;
    expect(toldBy(stream.messages()).end).toMatchObject({ result: 'cancelled', text: 'Souk is stopping.' });
    expect(faults.openSockets()).toBe(0);
  });
});
