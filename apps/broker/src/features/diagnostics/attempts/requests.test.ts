import { connectionSteps } from '@souk/contract/diagnostics.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectLegacy, postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { newPerson, outline, stepOf } from '../testing/connecting.ts';

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await startTestApp();
  url = `${app.publicUrl}/mcp`;
});
afterAll(() => app?.stop());

const post = (token: string, agent: string, method: string, params: Record<string, unknown> = {}) =>
  postModern(url, token, method, params, { 'user-agent': agent });

test('the attempt of a program with a personal token begins at its first request', async () => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('laptop');
  const client = await connectLegacy(url, token);
  await client.listTools();
  await client.close();
  const attempt = await person.attempt();
  expect(attempt.client).toMatchObject({ name: 'test-client 1.0', clientId: null, userAgent: 'node' });
  expect(attempt).toMatchObject({ status: 'working', era: 'legacy', protocolVersion: '2025-11-25' });
  expect(outline(attempt)).toEqual([
    ...connectionSteps.slice(0, 5).map((step) => `${step}: skipped`),
    'first-request: passed',
    'era: passed',
    'tools-listed: passed',
    'first-call: not-reached',
  ]);
  expect(stepOf(attempt, 'token').detail).toBe('It uses a personal access token, "laptop".');
});

test('two programs with one personal token are two attempts', async () => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('shared');
  await post(token, 'one/1', 'tools/list');
  await post(token, 'another\u0085 agent', 'tools/list');
  const agents = (await person.attempts()).map(({ client }) => client.userAgent);
  expect(agents.sort()).toEqual(['another agent', 'one/1']);
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

type Headers = Record<string, string>;
const wrong: readonly [name: string, step: string, detail: string, send: (headers: Headers) => Promise<unknown>][] = [
  [
    'accept',
    'first-request',
    'its Accept header was text/html',
    (headers) => postRaw(url, JSON.stringify(initialize), { ...headers, accept: 'text/html' }),
  ],
  [
    'version',
    'era',
    'MCP version 2027-01-01',
    (headers) => postRaw(url, ping, { ...headers, 'mcp-protocol-version': '2027-01-01' }),
  ],
  [
    'session',
    'era',
    'a session that no longer exists',
    (headers) => postRaw(url, ping, { ...headers, 'mcp-session-id': 'gone' }),
  ],
  [
    'origin',
    'first-request',
    'A page of https://evil.test tried',
    (headers) => postRaw(url, ping, { ...headers, origin: 'https://evil.test' }),
  ],
];

test.for(wrong)("a client's mistake at the link is named: %s", async ([, step, detail, send]) => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('odd');
  await send({ authorization: `Bearer ${token}` });
  const attempt = await person.attempt();
  expect(attempt.status).toBe('failed');
  expect(stepOf(attempt, step).detail).toContain(detail);
  expect(stepOf(attempt, step).advice).toMatch(/\w{3}/);
});

test('a failed step has passed when the client then gets it right', async () => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('healing');
  const headers = { authorization: `Bearer ${token}` };
  await postRaw(url, ping, { ...headers, 'mcp-session-id': 'gone' });
  expect(outline(await person.attempt())).toContain('era: failed');
  expect((await postRaw(url, JSON.stringify(initialize), headers)).status).toBe(200);
  expect(outline(await person.attempt())).toContain('era: passed');
});

test('a request that lacks its scope has reached the link, and failed in what it requested', async () => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('narrow', { scopes: ['mcp:prompts'] });
  expect((await post(token, 'narrow/1', 'tools/list')).status).toBe(403);
  expect((await post(token, 'narrow/1', 'tools/call', { name: 'find_tools' })).status).toBe(403);
  const attempt = await person.attempt();
  expect(outline(attempt).slice(5)).toEqual([
    'first-request: passed',
    'era: passed',
    'tools-listed: failed',
    'first-call: failed',
  ]);
  expect(stepOf(attempt, 'tools-listed')).toMatchObject({
    detail: 'The client lacks the permission mcp:tools. It has: mcp:prompts.',
    advice: expect.stringContaining('allow everything it asks for'),
  });
});

test('a step has passed only if it had a result: a list with entries, a call that reached a tool', async () => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('wide');
  await post(token, 'wide/1', 'tools/list', { cursor: 'no cursor of ours' });
  await post(token, 'wide/1', 'tools/call', { name: 'no-such__tool', arguments: {} });
  await post(token, 'wide/1', 'tools/call', { name: 'find_tools', arguments: { query: '' } });
  expect(outline(await person.attempt()).slice(5)).toEqual([
    'first-request: passed',
    'era: passed',
    'tools-listed: not-reached',
    'first-call: not-reached',
  ]);
  await post(token, 'wide/1', 'tools/call', { name: 'find_tools', arguments: { query: 'weather' } });
  expect(outline(await person.attempt()).slice(7)).toEqual(['tools-listed: skipped', 'first-call: passed']);
  await post(token, 'wide/1', 'tools/list');
  expect(outline(await person.attempt()).slice(7)).toEqual(['tools-listed: passed', 'first-call: passed']);
});

test('in sessions too a step has passed only if it had a result', async () => {
  const person = await newPerson(app.publicUrl);
  const client = await connectLegacy(url, (await person.createToken('session')).token);
  await expect(client.callTool({ name: 'no-such__tool' })).rejects.toThrow('Unknown tool');
  expect(outline(await person.attempt()).slice(6)).toEqual([
    'era: passed',
    'tools-listed: not-reached',
    'first-call: not-reached',
  ]);
  await client.listTools();
  await client.callTool({ name: 'list_my_servers' });
  expect(outline(await person.attempt()).slice(6)).toEqual([
    'era: passed',
    'tools-listed: passed',
    'first-call: passed',
  ]);
  await client.close();
});
