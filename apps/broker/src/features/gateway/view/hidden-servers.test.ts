import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { startTellingServer, type TellingServer } from '../testing/telling-server.ts';

// Every request about a server that the user has switched off, or that is not included, is answered with the reason and
// where to change it. same-answers.test.ts tests tools on every dispatcher.

let app: TestApp;
let server: TellingServer;
let token: string;
let included = true;

beforeAll(async () => {
  server = await startTellingServer('legacy');
  app = await startTestApp({
    allowAddresses: [server.address],
    billing: { entitlement: () => () => included },
  });
  await deployManifest(app, {
    id: 'travel',
    name: 'Travel',
    connection: { type: 'http', url: server.url },
    billing: { tier: 'T2' },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  const { rows } = await app.db.query<{ id: string }>('select id from users');
  await app.upstreams.preferences.switchOff(rows[0]?.id ?? '', 'travel');
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

const capabilities = { elicitation: { form: {} } };
const sent = () => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
const officialV2 = (mode: 'legacy' | { pin: '2026-07-28' }) => async (link: string) => {
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(link), sent()));
  return client;
};
const officialV1 = async (link: string) => {
  const client = new ClientV1({ name: 'test', version: '1' }, { capabilities });
  // SDK 1.x declares optional members without `undefined`, which exactOptionalPropertyTypes takes literally.
  await client.connect(new TransportV1(new URL(link), sent()) as Parameters<ClientV1['connect']>[0]);
  return client;
};

const reasons = {
  'switched off': ['switched_off', 'Travel is switched off. Turn it on: '],
  'not included': ['not_included', 'Travel is not in your plan. It is included in Pro ($19/month). '],
} as const;

describe.each([
  ['SDK v1', officialV1, true],
  ['SDK v2 with a session', officialV2('legacy'), true],
  ['SDK v2, 2026-07-28', officialV2({ pin: '2026-07-28' }), false],
] as const)('%s', (_name, connect, subscribes) => {
  test.each(['switched off', 'not included'] as const)('is told about a server that is %s', async (why) => {
    included = why === 'switched off';
    const [code, text] = reasons[why];
    for (const [path, prefix] of [
      ['/mcp', 'travel__'],
      ['/s/travel/mcp', ''],
    ] as const) {
      const client = await connect(`${app.publicUrl}${path}`);
      const url = `${app.publicUrl}/service/travel`;
      const told = { code: -32010, message: expect.stringContaining(text), data: { code, url } };
      const argument = { name: 'text', value: 'a' };
      const wanted: Record<string, () => Promise<unknown>> = {
        'a prompt': () => client.getPrompt({ name: `${prefix}say`, arguments: { text: 'x' } }),
        'a page of a tool': () => client.readResource({ uri: 'ui://telling/page' }),
        'a resource of a template': () => client.readResource({ uri: 'note://one' }),
        'an address with the name of the server': () => client.readResource({ uri: 'souk://travel/any://thing' }),
        'a prompt to complete': () => client.complete({ ref: { type: 'ref/prompt', name: `${prefix}say` }, argument }),
        'a template to complete': () =>
          client.complete({ ref: { type: 'ref/resource', uri: 'note://{name}' }, argument }),
        ...(subscribes && { 'a change': () => client.subscribeResource({ uri: 'note://one' }) }),
      };
      for (const [what, want] of Object.entries(wanted)) {
        await expect(want(), `${what} at ${path}`).rejects.toMatchObject(told);
        await expect(want(), `${what} at ${path}`).rejects.toThrow(url);
      }
      const answer = await client.callTool({ name: `${prefix}echo`, arguments: { text: 'x' } });
      expect(answer).toMatchObject({ isError: true, _meta: { 'souk/code': code } });
      expect(JSON.stringify(answer.content)).toContain(text);
      await client.close();
    }
  });

  test('is told nothing about names that no server has', async () => {
    const client = await connect(`${app.publicUrl}/mcp`);
    const argument = { name: 'text', value: 'a' };
    for (const want of [
      () => client.getPrompt({ name: 'travel__nothing' }),
      () => client.readResource({ uri: 'nobody://here' }),
      () => client.complete({ ref: { type: 'ref/prompt', name: 'travel__nothing' }, argument }),
      () => client.complete({ ref: { type: 'ref/resource', uri: 'nobody://{x}' }, argument }),
      () => client.callTool({ name: 'travel__nothing', arguments: {} }),
    ]) {
      const failed = await want().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failed).toMatchObject({ message: expect.stringMatching(/Unknown|not found/i) });
      expect(String(failed)).not.toMatch(/switched off|plan/);
    }
    await client.close();
  });
});
