import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { newPerson, stepOf } from '../testing/connecting.ts';

// Calls that the fast path serves, and calls that it hands over.

let app: TestApp;
let server: HttpFixture;
let url: string;
beforeAll(async () => {
  server = await startHttpFixture();
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'far', connection: { type: 'http', url: server.url } });
  url = `${app.publicUrl}/mcp`;
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

async function firstCallOf(call: (token: string) => Promise<unknown>): Promise<string> {
  const person = await newPerson(app.publicUrl);
  await call((await person.createToken('calling')).token);
  return stepOf(await person.attempt(), 'first-call').status;
}

const post = (name: string, args: Record<string, unknown> = {}) =>
  firstCallOf((token) => postModern(url, token, 'tools/call', { name, arguments: args }));

const inSession = (name: string, args: Record<string, unknown> = {}) =>
  firstCallOf(async (token) => {
    const client = await connectLegacy(url, token);
    await client.callTool({ name, arguments: args }).catch(() => undefined);
    await client.close();
  });

test('a call that its tool answered has passed, in both eras', async () => {
  expect(await post('far__echo', { text: 'a' })).toBe('passed');
  expect(await inSession('far__echo', { text: 'a' })).toBe('passed');
});

test('a call that only asks for input has not passed', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'far__ask', arguments: {}, _meta: meta },
  };
  const status = await firstCallOf(async (token) => {
    const answer = await postRaw(url, JSON.stringify(call), {
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'far__ask',
    });
    expect(answer.body.result).toMatchObject({ resultType: 'input_required' });
  });
  expect(status).toBe('not-reached');
});

test('a call that its server answered with a protocol error has not passed', async () => {
  expect(await post('far__refuse')).toBe('not-reached');
  expect(await inSession('far__refuse')).toBe('not-reached');
});

test('a call that never reached its tool has not passed', async () => {
  expect(await post('far__no_such_tool')).toBe('not-reached');
});
