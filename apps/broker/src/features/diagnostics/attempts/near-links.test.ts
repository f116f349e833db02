import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { initializeRequest } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { newPerson, stepOf } from '../testing/connecting.ts';

// Users do not always paste the exact link: it may be in capitals, or have the ending of another product.

let app: TestApp;
let fixture: HttpFixture;
beforeAll(async () => {
  fixture = await startHttpFixture();
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'free', connection: { type: 'http', url: fixture.url } });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const near = [
  ['/mcp/sse', '/mcp'],
  ['/mcp//', '/mcp'],
  ['//mcp', '/mcp'],
  ['/MCP', '/mcp'],
  ['/mcp,', '/mcp'],
  ['/mcp%20', '/mcp'],
  ['/sse', '/mcp'],
  ['/v1/mcp', '/mcp'],
  ['/', '/mcp'],
  ['/s/free', '/s/free/mcp'],
  ['/s/Free/mcp', '/s/free/mcp'],
  ['/s/free/mcp/sse?x=1', '/s/free/mcp'],
  ['/s/nothing/sse', '/mcp'],
  ['/s/__proto__/mcp', '/mcp'],
] as const;

test.each(near)('a client at %s reads that the link is %s, and Connections shows it', async (path, right) => {
  const person = await newPerson(app.publicUrl);
  const client = await person.browser.signInMcpClient({ email: person.email, resource: `${app.publicUrl}/mcp` });
  const answer = await postRaw(app.publicUrl + path, initializeRequest(), {
    authorization: `Bearer ${client.accessToken}`,
  });
  expect([answer.status, answer.body.error]).toEqual([
    404,
    { code: -32001, message: `Unknown server: no MCP server is at this address. The link is ${app.publicUrl}${right}` },
  ]);
  const attempt = await person.attempt();
  expect(attempt.status).toBe('failed');
  expect(stepOf(attempt, 'first-request')).toMatchObject({
    status: 'failed',
    detail: `The client went to ${app.publicUrl}${path.split('?')[0]}, where there is no MCP server.`,
    advice: `Remove the connector in the client, and add it again with exactly ${app.publicUrl}${right}, with nothing before or after it.`,
  });
});

test('other programs, and browsers, read what they always read at an unknown address', async () => {
  const api = await fetch(`${app.publicUrl}/mcp/sse`, { method: 'POST', headers: { accept: 'application/json' } });
  expect([api.status, await api.json()]).toEqual([404, expect.objectContaining({ success: false, code: 'not_found' })]);
  const stream = await fetch(`${app.publicUrl}/sse`, { headers: { accept: 'text/event-stream' } });
  expect([stream.status, await stream.text()]).toEqual([
    404,
    expect.stringContaining(`The link is ${app.publicUrl}/mcp`),
  ]);
});

test('a program with a personal token at a near address appears in Connections too', async () => {
  const person = await newPerson(app.publicUrl);
  const { token: own } = await person.createToken('script');
  await postRaw(`${app.publicUrl}/mcp/v1`, initializeRequest(), { authorization: `Bearer ${own}` });
  expect(stepOf(await person.attempt(), 'first-request').detail).toContain(
    `${app.publicUrl}/mcp/v1, where there is no`,
  );
  expect((await postModern(`${app.publicUrl}/mcp`, own, 'tools/list')).status).toBe(200);
  expect(stepOf(await person.attempt(), 'first-request').status).toBe('passed');
});
