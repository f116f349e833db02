import type { ConnectionAttempt } from '@souk/contract/diagnostics.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { newPerson, stepOf } from '../testing/connecting.ts';

let app: TestApp;
let server: HttpFixture;
let url: string;
beforeAll(async () => {
  server = await startHttpFixture();
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'travel', connection: { type: 'http', url: server.url } });
  url = `${app.publicUrl}/mcp`;
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

const refresh = (client: { clientId: string; refreshToken: string }) =>
  new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: client.clientId,
    refresh_token: client.refreshToken,
  });

test('a revoked token that is still used is reported', async () => {
  const person = await newPerson(app.publicUrl);
  const { id, token } = await person.createToken('script');
  await postModern(url, token, 'tools/list');
  expect((await person.attempt()).status).toBe('working');
  expect((await person.api(`/auth/pat/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await postModern(url, token, 'tools/list')).status).toBe(401);
  const attempt = await person.attempt();
  expect(attempt.status).toBe('failed');
  expect(stepOf(attempt, 'token')).toMatchObject({ status: 'failed', detail: expect.stringContaining('was revoked') });
  expect(stepOf(attempt, 'tools-listed')).toMatchObject({
    status: 'not-reached',
    detail: 'It got this far before, but not since the step above failed.',
  });
  expectOneStory(attempt);
});

test('a token of a client that signed out is reported', async () => {
  const person = await newPerson(app.publicUrl);
  const client = await person.browser.signInMcpClient({ email: person.email });
  const body = new URLSearchParams({ token: client.refreshToken, client_id: client.clientId });
  await fetch(`${app.publicUrl}/oauth/revoke`, { method: 'POST', body });
  expect((await postModern(url, client.accessToken, 'tools/list')).status).toBe(401);
  expect(stepOf(await person.attempt(), 'token').detail).toContain('was revoked');
});

test("another link's token is reported", async () => {
  const person = await newPerson(app.publicUrl);
  const { accessToken } = await person.browser.signInMcpClient({ email: person.email });
  const travel = `${app.publicUrl}/s/travel/mcp`;
  expect((await postModern(travel, accessToken, 'tools/list')).status).toBe(401);
  const step = stepOf(await person.attempt(), 'first-request');
  expect(step.detail).toBe(`The client used a token for ${url} at ${travel}.`);
  expect(step.advice).toContain(`Connect it again with ${travel}`);
});

/** Expects that no step has passed after a failed one, and that only wrong steps have advice. */
function expectOneStory(attempt: ConnectionAttempt): void {
  const failed = attempt.steps.findIndex(({ status }) => status === 'failed');
  const later = failed < 0 ? [] : attempt.steps.slice(failed + 1);
  expect(later.filter(({ status }) => status === 'passed' || status === 'warned')).toEqual([]);
  expect(attempt.steps.filter(({ status, advice }) => status === 'passed' && advice !== null)).toEqual([]);
  expect(attempt.status).toBe(failed < 0 ? 'working' : 'failed');
}

test.each([
  ['all', 'one service', '/mcp', '/s/travel/mcp'],
  ['one service', 'all', '/s/travel/mcp', '/mcp'],
])('a client of the link of %s that calls that of %s stays working, with a warning', async (_own, _other, own, at) => {
  const person = await newPerson(app.publicUrl);
  const [right, wrong] = [app.publicUrl + own, app.publicUrl + at];
  const client = await person.browser.signInMcpClient({ email: person.email, resource: right });
  expect((await postModern(right, client.accessToken, 'tools/list')).status).toBe(200);
  expect((await person.attempt()).status).toBe('working');

  expect((await postModern(wrong, client.accessToken, 'tools/list')).status).toBe(401);
  const refused = await person.attempt();
  expect(stepOf(refused, 'first-request')).toMatchObject({
    status: 'warned',
    detail: `It reached your link with its token. The client used a token for ${right} at ${wrong}.`,
    advice: `Connect it again with ${wrong}: each link needs its own sign-in.`,
  });
  expectOneStory(refused);

  // as clients then do: they renew their token for the link that refused it
  const form = refresh(client);
  form.set('resource', wrong);
  expect((await fetch(`${app.publicUrl}/oauth/token`, { method: 'POST', body: form })).status).toBe(400);
  const renewing = await person.attempt();
  expect(stepOf(renewing, 'token')).toMatchObject({
    status: 'warned',
    detail: `It got its token. The client asked for a token for ${wrong}, but you allowed it for ${right}.`,
    advice: `Connect it again with ${wrong}: each link needs its own sign-in.`,
  });
  expectOneStory(renewing);
});

test('an expired personal token is reported until there is a new one', async () => {
  const person = await newPerson(app.publicUrl);
  const { id, token } = await person.createToken('old');
  await app.db.query(`update personal_tokens set expires_at = now() where id = $1`, [id]);
  expect((await postModern(url, token, 'tools/list')).status).toBe(401);
  expect(stepOf(await person.attempt(), 'token')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('an expired personal access token'),
    advice: expect.stringContaining('Create a new one'),
  });
});

test('an expired token is reported until the client renews it', async () => {
  // By this clock tokens have expired as soon as they are issued. The verifier uses the real one, so the test can show
  // the token where it is refused.
  const elevenMinutesMs = 11 * 60_000;
  const ahead = await startTestApp({ clock: { now: () => Date.now() + elevenMinutesMs } });
  try {
    const person = await newPerson(ahead.publicUrl);
    const client = await person.browser.signInMcpClient({ email: person.email });
    await postModern(`${ahead.publicUrl}/s/travel/mcp`, client.accessToken, 'tools/list');
    expect(stepOf(await person.attempt(), 'token')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('an expired access token'),
    });
    const renewed = await fetch(`${ahead.publicUrl}/oauth/token`, { method: 'POST', body: refresh(client) });
    expect(renewed.status).toBe(200);
    expect(stepOf(await person.attempt(), 'token').status).toBe('passed');
  } finally {
    await ahead.stop();
  }
});
