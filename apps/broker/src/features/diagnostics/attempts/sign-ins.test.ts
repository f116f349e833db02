import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDocumentServer, type DocumentServer } from '#testing/servers/document-server.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import {
  authorize,
  authorizeUrl,
  connectOfficial,
  newPerson,
  outline,
  redeem,
  redirectUri,
  register,
  stepOf,
} from '../testing/connecting.ts';

let app: TestApp;
let documents: DocumentServer;
beforeAll(async () => {
  documents = await startDocumentServer();
  app = await startTestApp({
    env: { CLIENT_DOCUMENTS: 'on' },
    identity: { documentDispatcher: documents.dispatcher },
  });
});
afterAll(async () => {
  await app?.stop();
  await documents?.close();
});

test('a client that registers is followed from its sign-in to its tools', async () => {
  const person = await newPerson(app.publicUrl);
  await connectOfficial(person, app.publicUrl, { port: 53998 });
  const attempt = await person.attempt();
  expect(outline(attempt)).toEqual([
    'registration: passed',
    'metadata-document: skipped',
    'authorize: passed',
    'consent: passed',
    'token: passed',
    'first-request: passed',
    'era: passed',
    'tools-listed: passed',
    'first-call: not-reached',
  ]);
  expect(attempt).toMatchObject({
    client: { name: 'Official client 1', userAgent: 'official/2.4' },
    status: 'working',
    era: 'modern',
    protocolVersion: '2026-07-28',
  });
  const times = attempt.steps.slice(2, 8).map(({ at }) => Date.parse(at ?? ''));
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

test('a client with a metadata document is followed too, and the user of a client that stops after its sign-in is told what to do', async () => {
  const person = await newPerson(app.publicUrl);
  const documentUrl = 'https://client.example/doctor.json';
  documents.answers.set('/doctor.json', (_request, response) => {
    response.setHeader('content-type', 'application/json');
    const document = { client_id: documentUrl, client_name: 'Published', redirect_uris: ['http://localhost/callback'] };
    response.end(JSON.stringify(document));
  });
  await connectOfficial(person, app.publicUrl, { port: 4711, documentUrl, until: 'token' });
  const attempt = await person.attempt();
  expect(attempt.client).toMatchObject({ name: 'Published', clientId: documentUrl });
  expect(outline(attempt).slice(0, 6)).toEqual([
    'registration: skipped',
    'metadata-document: passed',
    'authorize: passed',
    'consent: passed',
    'token: passed',
    'first-request: not-reached',
  ]);
  expect(attempt.status).toBe('unfinished');
  await app.db.query(`update connection_attempts set last_at = last_at - interval '3 minutes' where user_id = $1`, [
    person.id,
  ]);
  const later = await person.attempt();
  expect(later.status).toBe('failed');
  expect(stepOf(later, 'first-request')).toMatchObject({
    status: 'failed',
    detail: 'The client got its token, but never reached your link with it.',
    advice: expect.stringContaining('self-test'),
  });
});

test('a denied consent is reported', async () => {
  const person = await newPerson(app.publicUrl);
  const clientId = await register(app.publicUrl, { client_name: 'Denied', redirect_uris: [redirectUri] });
  await person.browser.signIn(authorizeUrl(person.browser, clientId), { allow: false });
  const attempt = await person.attempt();
  expect(attempt).toMatchObject({ status: 'failed', client: { name: 'Denied' } });
  expect(stepOf(attempt, 'consent')).toMatchObject({
    status: 'failed',
    detail: 'You, or someone at your browser, chose not to allow the client.',
    advice: "Didn't mean to? Reconnect and choose Allow.",
  });
});

test('an unregistered redirect is reported to the signed-in user', async () => {
  const person = await newPerson(app.publicUrl);
  const redirectUris = ['https://old.example/callback'];
  const clientId = await register(app.publicUrl, { client_name: 'Moved', redirect_uris: redirectUris });
  const fields = { redirect_uri: 'https://new.example/callback' };
  await person.browser.open(authorizeUrl(person.browser, clientId, fields));
  expect(stepOf(await person.attempt(), 'authorize')).toMatchObject({
    status: 'failed',
    detail: 'The client asked to be answered at new.example, but it registered old.example.',
  });
});

test('a redirect that the client does not publish is reported, without the advice to add that client again', async () => {
  const person = await newPerson(app.publicUrl);
  const clientId = 'https://client.example/moved.json';
  documents.answers.set('/moved.json', (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ client_id: clientId, client_name: 'Moved', redirect_uris: ['https://old.example/callback'] }),
    );
  });
  const fields = { redirect_uri: 'https://new.example/callback' };
  await person.browser.open(authorizeUrl(person.browser, clientId, fields));
  const attempt = await person.attempt();
  expect(attempt).toMatchObject({ status: 'failed', client: { name: 'Moved', clientId } });
  expect(stepOf(attempt, 'metadata-document').status).toBe('passed');
  expect(stepOf(attempt, 'authorize')).toMatchObject({
    status: 'failed',
    detail: 'The client asked to be answered at new.example, but the description that it publishes names old.example.',
    advice: 'Update the client. If it keeps failing, tell its makers.',
  });
});

test('a sign-in for another address is reported to the signed-in user', async () => {
  const person = await newPerson(app.publicUrl);
  const clientId = await register(app.publicUrl, { client_name: 'Elsewhere', redirect_uris: [redirectUri] });
  await person.browser.open(authorizeUrl(person.browser, clientId, { resource: 'https://other.test/mcp' }));
  expect(stepOf(await person.attempt(), 'authorize')).toMatchObject({
    status: 'failed',
    detail: `The client asked for access to https://other.test/mcp; your link is ${app.publicUrl}/mcp.`,
  });
});

test('a client that requests access without a page (prompt=none) is reported in words, with advice', async () => {
  const person = await newPerson(app.publicUrl);
  const clientId = await register(app.publicUrl, { client_name: 'Silent', redirect_uris: [redirectUri] });
  await person.browser.request(authorizeUrl(person.browser, clientId, { prompt: 'none' }));
  expect(stepOf(await person.attempt(), 'authorize')).toMatchObject({
    status: 'failed',
    detail: 'The client asked for access without showing you a page (prompt=none), but you have to allow it first.',
    advice: 'Connect again in the client: its own button opens the page. If it never opens one, tell its makers.',
  });
});

test('only a client that forgets PKCE is warned about it', async () => {
  for (const [fields, isTold] of [
    [{ code_challenge: '' }, true],
    [{ scope: 'admin' }, false],
  ] as const) {
    const person = await newPerson(app.publicUrl);
    const clientId = await register(app.publicUrl, { client_name: 'Odd', redirect_uris: [redirectUri] });
    await person.browser.request(authorizeUrl(person.browser, clientId, fields));
    const { detail, advice } = stepOf(await person.attempt(), 'authorize');
    expect(detail).toContain("The client's request to sign in was refused");
    expect(advice?.includes('PKCE'), advice ?? '').toBe(isTold);
  }
});

test('a wrong verifier is reported, and forgotten when the client then gets it right', async () => {
  const person = await newPerson(app.publicUrl);
  const code = await authorize(person, app.publicUrl);
  expect((await redeem(app.publicUrl, code, { code_verifier: 'w'.repeat(43) })).status).toBe(400);
  expect(stepOf(await person.attempt(), 'token')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('verifier was wrong or missing'),
  });
  expect((await redeem(app.publicUrl, code)).status).toBe(200);
  expect(stepOf(await person.attempt(), 'token').status).toBe('passed');
});

test('a code that came too late is reported', async () => {
  const person = await newPerson(app.publicUrl);
  const code = await authorize(person, app.publicUrl);
  const hash = createHash('sha256').update(code.code).digest('base64url');
  const { affectedRows } = await app.db.query(
    `update oauth_records set expires_at = now() - interval '1 second' where id = $1`,
    [hash],
  );
  expect(affectedRows).toBe(1);
  expect((await redeem(app.publicUrl, code)).status).toBe(400);
  expect(stepOf(await person.attempt(), 'token').detail).toContain('more than a minute after the sign-in');
});

test('a code that is used twice is reported', async () => {
  const person = await newPerson(app.publicUrl);
  const code = await authorize(person, app.publicUrl);
  expect((await redeem(app.publicUrl, code)).status).toBe(200);
  expect((await redeem(app.publicUrl, code)).status).toBe(400);
  expect(stepOf(await person.attempt(), 'token')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('was used twice'),
  });
});

test('a token requested for another address is reported', async () => {
  const person = await newPerson(app.publicUrl);
  const code = await authorize(person, app.publicUrl);
  expect((await redeem(app.publicUrl, code, { resource: 'https://other.test/mcp' })).status).toBe(400);
  expect(stepOf(await person.attempt(), 'token')).toMatchObject({
    detail: `The client asked for access to https://other.test/mcp; your link is ${app.publicUrl}/mcp.`,
    advice: expect.stringContaining(`Enter exactly ${app.publicUrl}/mcp in the client`),
  });
});

test('sign-ins that a stranger begins and never finishes leave thirty rows a minute at most', async () => {
  const nowMs = Date.now();
  const still = await startTestApp({ clock: { now: () => nowMs } });
  try {
    const clientId = await register(still.publicUrl, { client_name: 'Flooding', redirect_uris: [redirectUri] });
    const browser = new ScriptedBrowser(still.publicUrl);
    for (let i = 0; i < 40; i++) await browser.request(authorizeUrl(browser, clientId));
    await still.diagnostics.flush();
    const { rows } = await still.db.query(`select 1 from connection_attempts where client_id = $1`, [clientId]);
    expect(rows).toHaveLength(30);
  } finally {
    await still.stop();
  }
});
