import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { limitProcessor } from '#testing/figures/limits.ts';
import { challengeOf, ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describe('requests without a sign-in that try to overload the broker', () => {
  let db: Database;
  let running: RunningIdentity;
  let nowMs = Date.now();
  beforeAll(async () => {
    db = await openTestDatabase(migrations);
    running = await startIdentity({ db, clock: { now: () => nowMs } });
  });
  // a new minute
  beforeEach(() => (nowMs += 60_000));
  afterAll(async () => {
    await running?.close();
    await db?.close();
  });

  const post = (body: string) =>
    fetch(`${running.publicUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
  const fail = () => post('grant_type=nonsense');

  test('bad input 41: a resource with 65,000 slashes does not block the broker', async () => {
    const form = `grant_type=authorization_code&client_id=x&resource=${running.publicUrl}/mcp`;
    await post(form);
    // the request itself costs a few milliseconds, sent and served by this thread
    await limitProcessor(100, async () => {
      // not encoded, so that it fits into a body
      const answer = await post(`${form}${'/'.repeat(65_000)}x`);
      expect(answer.status).toBe(400);
    });
  });

  test('an address with sixty failed requests a minute is refused before its parameters are read', async () => {
    const answers = [];
    for (let count = 0; count < 60; count++) answers.push((await fail()).status);
    expect(new Set(answers)).toEqual(new Set([400]));

    const refused = await fail();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      success: false,
      code: 'rate_limited',
      error: 'temporarily_unavailable',
    });
    // before any part of the request is read, even its body
    const large = await post(`grant_type=${'x'.repeat(70_000)}`);
    expect(large.status).toBe(429);
    const page = await fetch(`${running.publicUrl}/oauth/authorize?client_id=x`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(429);
    expect(page.headers.get('content-type')).toContain('text/html');

    nowMs += 2_000;
    expect((await fail()).status).toBe(400);
  });

  test('failures at /oauth/authorize count like those at /oauth/token', async () => {
    const authorize = async () => (await fetch(`${running.publicUrl}/oauth/authorize?client_id=x`)).status;
    const answers = [];
    for (let count = 0; count < 60; count++) answers.push(await authorize());
    expect(new Set(answers)).toEqual(new Set([400]));
    expect([await authorize(), (await fail()).status]).toEqual([429, 429]);
  });

  test('concurrent requests cannot fail more often', async () => {
    // these query the database
    const guess = () => post('grant_type=authorization_code&client_id=x&code=guessed');
    await guess();
    const answers = await Promise.all(Array.from({ length: 100 }, guess));
    const failed = answers.filter(({ status }) => status === 400 || status === 401).length;
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(100 - failed);
  });

  test('successful requests do not count', async () => {
    for (let count = 0; count < 59; count++) await fail();
    await new ScriptedBrowser(running.publicUrl).signInWeb();
    expect((await fail()).status).toBe(400);
    expect((await fail()).status).toBe(429);
  });

  test('requests that are aborted before their response count as failures', async () => {
    const { hostname, port } = new URL(running.publicUrl);
    for (let count = 0; count < 60; count++) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /oauth/token HTTP/1.1\r\nhost: ${hostname}:${port}\r\nexpect: 100-continue\r\ncontent-length: 9\r\n` +
          'content-type: application/x-www-form-urlencoded\r\n\r\n',
      );
      await once(socket, 'data'); // the request has arrived
      socket.destroy();
    }
    // a started sign-in is not a failure, so it does not count
    const metadata = { client_name: 'Asking', redirect_uris: ['https://app.example/cb'] };
    const registered = await fetch(`${running.publicUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    });
    const { client_id: clientId }: { client_id: string } = JSON.parse(await registered.text());
    const address = new ScriptedBrowser(running.publicUrl).authorizeUrl({
      client_id: clientId,
      redirect_uri: 'https://app.example/cb',
      code_challenge: challengeOf('verifier'),
    });
    const begin = async () => (await fetch(address, { redirect: 'manual' })).status;
    await waitUntil('the broker has noticed their end', async () => (await begin()) !== 303);
    expect(await begin()).toBe(429);
  });
});
