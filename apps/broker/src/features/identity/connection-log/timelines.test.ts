import { createHash } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connectionSteps, listConnections, type ConnectionAttempt } from '@souk/contract/connection-log.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectLegacy, postModern, postRaw } from '#testing/mcp-clients.ts';
import { ScriptedBrowser, challengeOf } from '#testing/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { startDocumentServer, type DocumentServer } from '../testing/document-server.ts';
import { ScriptedClientProvider } from '../testing/scripted-client-provider.ts';

let app: TestApp;
let documents: DocumentServer;
/** Real time, which a test may move on: oidc-provider's own clock cannot be. */
let aheadMs = 0;
beforeAll(async () => {
  documents = await startDocumentServer();
  app = await startTestApp({
    clock: { now: () => Date.now() + aheadMs },
    identity: { documentDispatcher: documents.dispatcher },
  });
});
afterAll(async () => {
  await app?.stop();
  await documents?.close();
});

/** Somebody of their own for each test, signed in in a browser that their clients open too. */
async function newPerson() {
  const email = `person-${people++}@souk.test`;
  const browser = new ScriptedBrowser(app.publicUrl);
  const { accessToken } = await browser.signInWeb({ email });
  const api = (path: string, init: RequestInit = {}) =>
    fetch(app.publicUrl + path, { ...init, headers: { authorization: `Bearer ${accessToken}`, ...init.headers } });
  const { id }: { id: string } = JSON.parse(await (await api('/v2/user/profile')).text());
  return {
    id,
    email,
    browser,
    api,
    async attempts(): Promise<ConnectionAttempt[]> {
      const answer = await api(`/api/users/${id}/connections`);
      return listConnections.answer.parse(await answer.json()).attempts;
    },
    async only(): Promise<ConnectionAttempt> {
      const attempts = await this.attempts();
      expect(attempts).toHaveLength(1);
      const [attempt] = attempts;
      if (!attempt) throw new Error('no attempt');
      return attempt;
    },
    async createToken(name: string, body: object = {}): Promise<{ id: string; token: string }> {
      const answer = await api('/auth/pat/create', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, ...body }),
      });
      return JSON.parse(await answer.text());
    },
  };
}
let people = 1;

/** `step: status` of every step, in order. */
const outline = (attempt: ConnectionAttempt) => attempt.steps.map(({ step, status }) => `${step}: ${status}`);
const stepOf = (attempt: ConnectionAttempt, name: string) => {
  const found = attempt.steps.find(({ step }) => step === name);
  if (!found) throw new Error(`no step ${name}`);
  return found;
};

/** The official client from its first 401 to its tools, as far as `until`. */
async function connectOfficial(provider: ScriptedClientProvider, until: 'token' | 'tools' = 'tools') {
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${app.publicUrl}/mcp`), {
      authProvider: provider,
      requestInit: { headers: { 'user-agent': 'official/2.4' } },
    });
  await new Client({ name: 'official', version: '1' }).connect(transport()).catch(() => undefined);
  if (!provider.callback) throw new Error('the client did not ask for sign-in');
  await transport().finishAuth(provider.callback.searchParams);
  if (until === 'token') return;
  const client = new Client(
    { name: 'official', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport());
  await client.listTools();
  await client.close();
}

const register = async (metadata: object, userAgent = 'registering/1') => {
  const answer = await fetch(`${app.publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify(metadata),
  });
  const body: { client_id: string } = JSON.parse(await answer.text());
  return body.client_id;
};

const redirectUri = 'http://127.0.0.1:53999/callback';
const redeem = (clientId: string, code: string, more: Record<string, string> = {}, userAgent = 'redeeming/1') =>
  fetch(`${app.publicUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'user-agent': userAgent },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: 'v'.repeat(43),
      ...more,
    }),
  });

/** A sign-in by hand up to the code that the client gets. */
async function authorize(person: Awaited<ReturnType<typeof newPerson>>, fields: Record<string, string> = {}) {
  const clientId = await register({ client_name: 'By hand', redirect_uris: [redirectUri] });
  const url = person.browser.authorizeUrl({
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challengeOf('v'.repeat(43)),
    ...fields,
  });
  const callback = await person.browser.signIn(url, { email: person.email });
  return { clientId, code: callback.searchParams.get('code') ?? '' };
}

test('a client that registers is followed from its first request to its tools', async () => {
  const person = await newPerson();
  await connectOfficial(new ScriptedClientProvider(person.browser, 'http://localhost:53998/callback'));
  const attempt = await person.only();
  expect(outline(attempt)).toEqual([
    'discovery: passed',
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
    client: { name: 'Official client', userAgent: 'official/2.4' },
    status: 'working',
    era: 'modern',
    protocolVersion: '2026-07-28',
  });
  const times = attempt.steps.slice(3, 9).map(({ at }) => Date.parse(at ?? ''));
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

test('a client with a metadata document is followed too, and one that stops after its sign-in is told what to do', async () => {
  const person = await newPerson();
  const url = 'https://client.example/doctor.json';
  documents.answers.set('/doctor.json', (_request, response) => {
    response.setHeader('content-type', 'application/json');
    const document = { client_id: url, client_name: 'Published', redirect_uris: ['http://localhost/callback'] };
    response.end(JSON.stringify(document));
  });
  await connectOfficial(new ScriptedClientProvider(person.browser, 'http://localhost:4711/callback', url), 'token');
  const attempt = await person.only();
  expect(attempt.client).toMatchObject({ name: 'Published', clientId: url });
  expect(outline(attempt).slice(1, 7)).toEqual([
    'registration: skipped',
    'metadata-document: passed',
    'authorize: passed',
    'consent: passed',
    'token: passed',
    'first-request: not-reached',
  ]);
  expect(attempt.status).toBe('unfinished');
  aheadMs += 3 * 60_000;
  const later = await person.only();
  expect(later.status).toBe('failed');
  expect(stepOf(later, 'first-request')).toMatchObject({
    status: 'failed',
    detail: 'The client has its token, but never came to the link with it.',
    advice: expect.stringContaining('self-test'),
  });
});

test('a program with a personal token begins at its first request; two programs are two attempts', async () => {
  const person = await newPerson();
  const { token } = await person.createToken('laptop');
  const client = await connectLegacy(`${app.publicUrl}/mcp`, token);
  await client.listTools();
  await client.close();
  const attempt = await person.only();
  expect(attempt.client).toMatchObject({ name: 'test-client', clientId: null });
  expect(attempt).toMatchObject({ status: 'working', era: 'legacy', protocolVersion: '2025-11-25' });
  expect(outline(attempt).slice(0, 9)).toEqual([
    ...connectionSteps.slice(0, 6).map((step) => `${step}: skipped`),
    'first-request: passed',
    'era: passed',
    'tools-listed: passed',
  ]);
  expect(stepOf(attempt, 'token').detail).toBe('It signs in with a personal access token, "laptop".');
  await postModern(`${app.publicUrl}/mcp`, token, 'tools/list', {}, { 'user-agent': 'another\u0085 agent' });
  expect((await person.attempts()).map(({ client }) => client.userAgent)).toContain('another agent');
});

test('a denied consent is named', async () => {
  const person = await newPerson();
  const clientId = await register({ client_name: 'Denied', redirect_uris: [redirectUri] });
  const fields = { client_id: clientId, redirect_uri: redirectUri, code_challenge: challengeOf('v'.repeat(43)) };
  await person.browser.signIn(person.browser.authorizeUrl(fields), { allow: false });
  const attempt = await person.only();
  expect(attempt).toMatchObject({ status: 'failed', client: { name: 'Denied' } });
  expect(stepOf(attempt, 'consent')).toMatchObject({
    status: 'failed',
    detail: 'The request was cancelled on the page that asks for permission.',
    advice: 'If that was not meant so: connect again in the client and choose Allow.',
  });
});

test('a wrong verifier is named, and forgotten when the client then gets it right', async () => {
  const person = await newPerson();
  const { clientId, code } = await authorize(person);
  expect((await redeem(clientId, code, { code_verifier: 'w'.repeat(43) })).status).toBe(400);
  expect(stepOf(await person.only(), 'token')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('verifier was wrong or missing'),
  });
  expect((await redeem(clientId, code)).status).toBe(200);
  expect(stepOf(await person.only(), 'token').status).toBe('passed');
});

test('a code that came too late and a token for another address are named', async () => {
  const late = await newPerson();
  const first = await authorize(late);
  const hash = createHash('sha256').update(first.code).digest('base64url');
  const { affectedRows } = await app.db.query(
    `update oauth_records set expires_at = now() - interval '1 second' where id = $1`,
    [hash],
  );
  expect(affectedRows).toBe(1);
  expect((await redeem(first.clientId, first.code)).status).toBe(400);
  expect(stepOf(await late.only(), 'token').detail).toContain('more than a minute after the sign-in');

  const wrong = await newPerson();
  const second = await authorize(wrong);
  expect((await redeem(second.clientId, second.code, { resource: 'https://other.test/mcp' })).status).toBe(400);
  const step = stepOf(await wrong.only(), 'token');
  expect(step.detail).toBe(
    `The client asked for a token for https://other.test/mcp; it has to be ${app.publicUrl}/mcp.`,
  );
  expect(step.advice).toContain(`Put exactly ${app.publicUrl}/mcp into the client`);
});

test('a redirect that was not registered and a foreign resource are named to whom is signed in', async () => {
  const person = await newPerson();
  const clientId = await register({ client_name: 'Moved', redirect_uris: ['https://old.example/callback'] });
  const fields = { client_id: clientId, code_challenge: challengeOf('v'.repeat(43)) };
  await person.browser.open(person.browser.authorizeUrl({ ...fields, redirect_uri: 'https://new.example/callback' }));
  expect(stepOf(await person.only(), 'authorize')).toMatchObject({
    status: 'failed',
    detail: 'The client wanted to be answered at new.example, but it registered old.example.',
  });
  await person.browser.open(
    person.browser.authorizeUrl({
      ...fields,
      redirect_uri: 'https://old.example/callback',
      resource: 'https://other.test/mcp',
    }),
  );
  const [newest] = await person.attempts();
  expect(newest && stepOf(newest, 'authorize').detail).toContain('asked for a token for https://other.test/mcp');
});

test('a revoked token that is still used is named', async () => {
  const person = await newPerson();
  const { id, token } = await person.createToken('script');
  await postModern(`${app.publicUrl}/mcp`, token, 'tools/list');
  expect((await person.only()).status).toBe('working');
  expect((await person.api(`/auth/pat/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await postModern(`${app.publicUrl}/mcp`, token, 'tools/list')).status).toBe(401);
  const attempt = await person.only();
  expect(attempt.status).toBe('failed');
  expect(stepOf(attempt, 'token')).toMatchObject({ status: 'failed', detail: expect.stringContaining('was revoked') });
});

test("another link's token, a sign-out and a code that is used twice are named", async () => {
  const person = await newPerson();
  const { accessToken } = await person.browser.signInMcpClient({ email: person.email });
  const travel = `${app.publicUrl}/s/travel/mcp`;
  expect((await postModern(travel, accessToken, 'tools/list')).status).toBe(401);
  const step = stepOf(await person.only(), 'first-request');
  expect(step.detail).toBe(`The client came to ${travel} with a token that is for ${app.publicUrl}/mcp.`);
  expect(step.advice).toContain(`Connect it again with ${travel}`);

  const leaver = await newPerson();
  const left = await leaver.browser.signInMcpClient({ email: leaver.email });
  const fields = new URLSearchParams({ token: left.refreshToken, client_id: left.clientId });
  await fetch(`${app.publicUrl}/oauth/revoke`, { method: 'POST', body: fields });
  expect((await postModern(`${app.publicUrl}/mcp`, left.accessToken, 'tools/list')).status).toBe(401);
  expect(stepOf(await leaver.only(), 'token').detail).toContain('was revoked');

  const twice = await newPerson();
  const { clientId, code } = await authorize(twice);
  expect((await redeem(clientId, code)).status).toBe(200);
  expect((await redeem(clientId, code)).status).toBe(400);
  expect(stepOf(await twice.only(), 'token')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('was used a second time'),
  });
});

test('an expired token is named until the client renews it; an expired personal token until there is a new one', async () => {
  const person = await newPerson();
  const client = await person.browser.signInMcpClient({ email: person.email });
  // Ten minutes later it is refused everywhere; here already by its address, since the verifier's clock is the real one.
  aheadMs += 11 * 60_000;
  await postModern(`${app.publicUrl}/s/travel/mcp`, client.accessToken, 'tools/list');
  expect(stepOf(await person.only(), 'token')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('an access token that had expired'),
  });
  const fields = { grant_type: 'refresh_token', client_id: client.clientId, refresh_token: client.refreshToken };
  const renewed = await fetch(`${app.publicUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  expect(renewed.status).toBe(200);
  expect(stepOf(await person.only(), 'token').status).toBe('passed');

  const script = await newPerson();
  const { id, token } = await script.createToken('old');
  await app.db.query(`update personal_tokens set expires_at = now() where id = $1`, [id]);
  expect((await postModern(`${app.publicUrl}/mcp`, token, 'tools/list')).status).toBe(401);
  expect(stepOf(await script.only(), 'token')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('a personal access token that has expired'),
    advice: expect.stringContaining('Create a new one'),
  });
});

test('strangers cannot fill the table: what one address may leave behind is bounded, and forgotten', async () => {
  await app.db.query(`delete from connection_sightings`);
  aheadMs += 60_001;
  for (let i = 0; i < 40; i++) {
    await fetch(`${app.publicUrl}/mcp`, { method: 'POST', headers: { 'user-agent': `flood/${i}` } });
  }
  await app.identity.connectionLog.settle();
  const count = async () => (await app.db.query(`select 1 from connection_sightings`)).rows.length;
  expect(await count()).toBe(20);
  aheadMs += 11 * 60_000;
  await app.identity.connectionLog.reap();
  expect(await count()).toBe(0);
});

test('sign-ins that a stranger begins and never ends leave thirty rows a minute at most', async () => {
  aheadMs += 60_001;
  const clientId = await register({ client_name: 'Flooding', redirect_uris: [redirectUri] });
  const browser = new ScriptedBrowser(app.publicUrl);
  const fields = { client_id: clientId, redirect_uri: redirectUri, code_challenge: challengeOf('v'.repeat(43)) };
  for (let i = 0; i < 40; i++) await browser.request(browser.authorizeUrl(fields));
  await app.identity.connectionLog.settle();
  const { rows } = await app.db.query(`select 1 from connection_attempts where client_id = $1`, [clientId]);
  expect(rows).toHaveLength(30);
});

test('what a client does wrong at the link is named, and heals when it does it right', async () => {
  const person = await newPerson();
  const { token } = await person.createToken('odd', { scopes: ['mcp:prompts'] });
  const url = `${app.publicUrl}/mcp`;
  const agent = (name: string) => ({ authorization: `Bearer ${token}`, 'user-agent': name });
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const cases: [name: string, step: string, detail: string, send: () => Promise<unknown>][] = [
    [
      'accept',
      'first-request',
      'its Accept header was text/html',
      () => postRaw(url, JSON.stringify(initialize), { ...agent('accept'), accept: 'text/html' }),
    ],
    [
      'version',
      'era',
      'protocol version 2027-01-01',
      () => postRaw(url, ping, { ...agent('version'), 'mcp-protocol-version': '2027-01-01' }),
    ],
    [
      'session',
      'era',
      'a session that does not exist',
      () => postRaw(url, ping, { ...agent('session'), 'mcp-session-id': 'gone' }),
    ],
    [
      'scope',
      'tools-listed',
      'lacks the permission mcp:tools',
      () => postModern(url, token, 'tools/list', {}, agent('scope')),
    ],
    [
      'origin',
      'first-request',
      'A page of https://evil.test tried',
      () => postRaw(url, ping, { ...agent('origin'), origin: 'https://evil.test' }),
    ],
  ];
  for (const [, , , send] of cases) await send();
  const attempts = await person.attempts();
  for (const [name, step, detail] of cases) {
    const attempt = attempts.find(({ client }) => client.userAgent === name);
    if (!attempt) throw new Error(`no attempt of ${name}`);
    expect(attempt.status, name).toBe('failed');
    expect(stepOf(attempt, step).detail, name).toContain(detail);
    expect(stepOf(attempt, step).advice, name).toMatch(/\w{3}/);
  }
  const opened = await postRaw(url, JSON.stringify(initialize), agent('session'));
  expect(opened.status).toBe(200);
  const healed = (await person.attempts()).find(({ client }) => client.userAgent === 'session');
  expect(healed && outline(healed)).toContain('era: passed');
});

test("of two people behind one address with one program, nothing of one is in the other's timeline", async () => {
  const shared = 'hosted-client/1';
  const [stranger, person] = [await newPerson(), await newPerson()];
  const ask = () => fetch(`${app.publicUrl}/mcp`, { method: 'POST', headers: { 'user-agent': shared } });
  await ask();
  await register({ client_name: 'Strange one', redirect_uris: ['http://strange.example/callback'] }, shared);
  await register({ client_name: 'Strange two', redirect_uris: ['https://strange.example/callback'] }, shared);
  await connectOfficial(new ScriptedClientProvider(stranger.browser, 'http://localhost:53997/callback'));
  // A personal token takes nothing of what came before it.
  await ask();
  const { token } = await person.createToken('mine');
  await postModern(`${app.publicUrl}/mcp`, token, 'tools/list', {}, { 'user-agent': shared });
  expect(outline(await person.only()).slice(0, 6)).toEqual(
    connectionSteps.slice(0, 6).map((step) => `${step}: skipped`),
  );
  // A sign-in takes no more than that somebody asked: no text, and not when.
  const { clientId, code } = await authorize(person);
  expect((await redeem(clientId, code, {}, shared)).status).toBe(200);
  const attempts = await person.attempts();
  expect(attempts.map(({ client }) => client.name).sort()).toEqual(['By hand', 'hosted-client/1']);
  const signedIn = attempts.find(({ client }) => client.clientId === clientId);
  expect(signedIn && stepOf(signedIn, 'discovery')).toMatchObject({ status: 'passed', at: null });
  expect(JSON.stringify(attempts)).not.toMatch(/strange/i);
  expect(JSON.stringify(await stranger.attempts())).not.toMatch(/strange|By hand|mine/i);
  // What was asked once counts for one sign-in: the next that was not seen asking is not said to have asked.
  const next = await authorize(stranger);
  await redeem(next.clientId, next.code, {}, shared);
  const unseen = (await stranger.attempts()).find(({ client }) => client.clientId === next.clientId);
  expect(unseen && stepOf(unseen, 'discovery')).toMatchObject({
    status: 'skipped',
    detail: 'Not seen: it knew the way, or asked from another address.',
  });
  const { rows } = await app.db.query(`select * from connection_sightings`);
  expect(rows.every((row) => Object.keys(row).sort().join() === 'at,source')).toBe(true);
});

test('a step has passed only when it came to something: a list with a result, a call that reached a tool', async () => {
  const url = `${app.publicUrl}/mcp`;
  const person = await newPerson();
  const narrow = await person.createToken('narrow', { scopes: ['mcp:prompts'] });
  const wide = await person.createToken('wide');
  const attemptOf = async (name: string) => {
    const found = (await person.attempts()).find(({ client }) => client.userAgent === name);
    if (!found) throw new Error(`no attempt of ${name}`);
    return found;
  };
  const post = (token: string, agent: string, method: string, params: Record<string, unknown> = {}) =>
    postModern(url, token, method, params, { 'user-agent': agent });

  expect((await post(narrow.token, 'narrow/1', 'tools/list')).status).toBe(403);
  expect((await post(narrow.token, 'narrow/1', 'tools/call', { name: 'find_tools' })).status).toBe(403);
  const refused = await attemptOf('narrow/1');
  expect(outline(refused).slice(6)).toEqual([
    'first-request: passed',
    'era: passed',
    'tools-listed: failed',
    'first-call: failed',
  ]);
  expect(stepOf(refused, 'tools-listed').advice).toContain('allow everything that it asks for');

  await post(wide.token, 'wide/1', 'tools/list', { cursor: 'no cursor of ours' });
  await post(wide.token, 'wide/1', 'tools/call', { name: 'no-such__tool', arguments: {} });
  await post(wide.token, 'wide/1', 'tools/call', { name: 'find_tools', arguments: { query: '' } });
  const nothing = await attemptOf('wide/1');
  expect(outline(nothing).slice(6)).toEqual([
    'first-request: passed',
    'era: passed',
    'tools-listed: not-reached',
    'first-call: not-reached',
  ]);
  await post(wide.token, 'wide/1', 'tools/call', { name: 'find_tools', arguments: { query: 'weather' } });
  expect(outline(await attemptOf('wide/1')).slice(8)).toEqual(['tools-listed: skipped', 'first-call: passed']);
  await post(wide.token, 'wide/1', 'tools/list');
  expect(outline(await attemptOf('wide/1')).slice(8)).toEqual(['tools-listed: passed', 'first-call: passed']);

  // Sessions, answered in streams.
  const session = await newPerson();
  const client = await connectLegacy(url, (await session.createToken('session')).token);
  await expect(client.callTool({ name: 'no-such__tool' })).rejects.toThrow('Unknown tool');
  expect(outline(await session.only()).slice(7)).toEqual([
    'era: passed',
    'tools-listed: not-reached',
    'first-call: not-reached',
  ]);
  await client.listTools();
  await client.callTool({ name: 'list_my_servers' });
  expect(outline(await session.only()).slice(7)).toEqual(['era: passed', 'tools-listed: passed', 'first-call: passed']);
  await client.close();
});

test("nobody sees another's attempts, and no token, code or secret is kept", async () => {
  const [mine, other] = [await newPerson(), await newPerson()];
  const { token } = await mine.createToken('mine');
  await postModern(`${app.publicUrl}/mcp`, token, 'tools/list');
  const { clientId, code } = await authorize(mine);
  const answer = await redeem(clientId, code);
  const tokens: { access_token: string; refresh_token: string } = JSON.parse(await answer.text());
  await postModern(`${app.publicUrl}/mcp`, tokens.access_token, 'tools/list');
  expect(await mine.attempts()).toHaveLength(2);
  expect(await other.attempts()).toEqual([]);
  expect((await other.api(`/api/users/${mine.id}/connections`)).status).toBe(404);
  const { rows } = await app.db.query(`select * from connection_attempts`);
  const sightings = await app.db.query(`select * from connection_sightings`);
  const kept = JSON.stringify([rows, sightings.rows]);
  for (const secret of [token, code, tokens.access_token, tokens.refresh_token, '127.0.0.1']) {
    expect(kept).not.toContain(secret);
  }
});

test('attempts are forgotten after thirty days', async () => {
  const person = await newPerson();
  const { token } = await person.createToken('old');
  await postModern(`${app.publicUrl}/mcp`, token, 'tools/list');
  expect(await person.attempts()).toHaveLength(1);
  await app.db.query(`update connection_attempts set last_at = last_at - interval '31 days' where user_id = $1`, [
    person.id,
  ]);
  expect(await person.attempts()).toEqual([]);
  await app.identity.connectionLog.reap();
  const { rows } = await app.db.query(`select 1 from connection_attempts where user_id = $1`, [person.id]);
  expect(rows).toEqual([]);
});
