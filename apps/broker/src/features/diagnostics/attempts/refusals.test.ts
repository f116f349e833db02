import { afterAll, beforeAll, expect, test } from 'vitest';
import { postModern } from '#testing/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { newPerson, stepOf } from '../testing/connecting.ts';

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await startTestApp();
  url = `${app.publicUrl}/mcp`;
});
afterAll(() => app?.stop());

const refresh = (client: { clientId: string; refreshToken: string }) =>
  new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: client.clientId,
    refresh_token: client.refreshToken,
  });

test('a revoked token that is still used is named', async () => {
  const person = await newPerson(app.publicUrl);
  const { id, token } = await person.createToken('script');
  await postModern(url, token, 'tools/list');
  expect((await person.attempt()).status).toBe('working');
  expect((await person.api(`/auth/pat/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await postModern(url, token, 'tools/list')).status).toBe(401);
  const attempt = await person.attempt();
  expect(attempt.status).toBe('failed');
  expect(stepOf(attempt, 'token')).toMatchObject({ status: 'failed', detail: expect.stringContaining('was revoked') });
});

test('a token of a client that signed out is named', async () => {
  const person = await newPerson(app.publicUrl);
  const client = await person.browser.signInMcpClient({ email: person.email });
  const body = new URLSearchParams({ token: client.refreshToken, client_id: client.clientId });
  await fetch(`${app.publicUrl}/oauth/revoke`, { method: 'POST', body });
  expect((await postModern(url, client.accessToken, 'tools/list')).status).toBe(401);
  expect(stepOf(await person.attempt(), 'token').detail).toContain('was revoked');
});

test("another link's token is named", async () => {
  const person = await newPerson(app.publicUrl);
  const { accessToken } = await person.browser.signInMcpClient({ email: person.email });
  const travel = `${app.publicUrl}/s/travel/mcp`;
  expect((await postModern(travel, accessToken, 'tools/list')).status).toBe(401);
  const step = stepOf(await person.attempt(), 'first-request');
  expect(step.detail).toBe(`The client used a token for ${url} at ${travel}.`);
  expect(step.advice).toContain(`Connect it again with ${travel}`);
});

test('a client that works stays working when its token is used at another link, which is noted', async () => {
  const person = await newPerson(app.publicUrl);
  const { accessToken } = await person.browser.signInMcpClient({ email: person.email });
  expect((await postModern(url, accessToken, 'tools/list')).status).toBe(200);
  expect((await person.attempt()).status).toBe('working');
  const travel = `${app.publicUrl}/s/travel/mcp`;
  expect((await postModern(travel, accessToken, 'tools/list')).status).toBe(401);
  const attempt = await person.attempt();
  expect(stepOf(attempt, 'first-request')).toMatchObject({
    status: 'passed',
    detail: `The client used a token for ${url} at ${travel}.`,
    advice: `Connect it again with ${travel}: each link needs its own sign-in.`,
  });
  expect(attempt.status).toBe('working');
});

test('an expired personal token is named until there is a new one', async () => {
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

test('an expired token is named until the client renews it', async () => {
  // By this clock tokens have expired as soon as they are issued. The verifier goes by the real one, so that the token is
  // shown where it is refused in any case.
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
