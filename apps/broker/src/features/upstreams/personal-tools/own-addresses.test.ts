import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asRecord } from '#platform/json.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { answerBy } from '#testing/servers/rpc-answer.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startOAuthFixture, type OAuthFixture } from '../sign-in/testing/oauth-fixture.ts';
import { signInPerson } from '../sign-in/testing/person.ts';
import { signInAt } from '../sign-in/testing/vault.ts';

let fixture: OAuthFixture;
let common: { port: number; close(): Promise<void> };
let app: TestApp;

/** Serves a shared server, with the addresses in the query of its URL. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const scheme = new URL(request.url ?? '/', 'http://localhost').searchParams.get('scheme') ?? '';
  const { id, method, params } = asRecord(await json(request)) ?? {};
  if (id === undefined) return void response.writeHead(202).end();
  const uri = asRecord(params)?.['uri'];
  answerBy(
    response,
    { id, method },
    {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { resources: {} },
        serverInfo: { name: 'common', version: '1' },
      },
      'resources/list': { resources: [{ uri: `${scheme}://file`, name: 'file' }] },
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: `${scheme}-files://{name}`, name: 'files' }] },
      'resources/read': { contents: [{ uri, text: 'of the server for everyone' }] },
    },
  );
}

beforeAll(async () => {
  [fixture, common] = await Promise.all([
    startOAuthFixture(),
    listenLocally(createServer((request, response) => void serve(request, response))),
  ]);
  const allowAddresses = [fixture.address, `127.0.0.1:${common.port}`];
  app = await startTestApp({ allowAddresses, env: withoutHealthChecks });
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([fixture?.close(), common?.close()]);
});

const deployOwn = (id: string) =>
  deployManifest(app, { id, slug: id, connection: { type: 'http', url: fixture.url }, auth: { type: 'oauth' } });
const deployCommon = (scheme: string, version = '1.0.0') => {
  const url = `http://127.0.0.1:${common.port}/mcp?scheme=${scheme}`;
  return deployManifest(app, {
    id: `common-${scheme}`,
    slug: `common-${scheme}`,
    version,
    connection: { type: 'http', url },
  });
};

const offerOf = (who: string) => ({ tools: [], resource: `${who}://file`, template: `${who}-files://{name}` });

/** Creates a user whose account at their own server has the same addresses. */
async function newPerson(who: string) {
  const email = `${who}@souk.test`;
  const person = await signInPerson(app.publicUrl, email);
  const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
  fixture.setToolsOf(who, offerOf(who));
  const ask = async (method: string, params: Record<string, unknown> = {}) =>
    (await postModern(`${app.publicUrl}/mcp`, token, method, params)).body.result;
  return {
    ask,
    signIn: (serverId: string) => signInAt(person, fixture, serverId, who),
    signOut: (serverId: string) =>
      person.call('DELETE', `/api/users/${person.userId}/upstream-connections/${serverId}`),
    /** Returns the addresses with this user's name, in alphabetical order. */
    async addresses(): Promise<string[]> {
      const listed = [await ask('resources/list'), await ask('resources/templates/list')];
      return (JSON.stringify(listed).match(/"uri(?:Template)?":"[^"]+"/g) ?? [])
        .map((member) => member.split('":"')[1]?.slice(0, -1) ?? '')
        .filter((uri) => uri.includes(who))
        .toSorted();
    },
    async isCommon(uri: string): Promise<boolean> {
      const result = await ask('resources/read', { uri });
      expect(result, uri).toMatchObject({ contents: [{ uri }] });
      return JSON.stringify(result).includes('of the server for everyone');
    },
  };
}

test("a user's own server keeps its addresses when a shared one with the same addresses is added, redeployed and removed", async () => {
  const [ann, bob] = [await newPerson('ann'), await newPerson('bob')];
  await deployOwn('vault');
  await ann.signIn('vault');
  await waitUntil('the tools offered to Ann', async () => (await ann.addresses()).length === 2);
  for (const version of ['1.0.0', '1.0.1']) {
    await deployCommon('ann', version);
    await waitUntil('both', async () => (await ann.addresses()).length === 4);
    await waitUntil(
      'this version',
      () => app.catalogue.snapshot().byId.get('common-ann')?.manifest.version === version,
    );
    expect(await ann.addresses()).toEqual([
      'ann-files://{name}',
      'ann://file',
      'souk://common-ann/ann-files://{name}',
      'souk://common-ann/ann://file',
    ]);
    for (const uri of ['ann://file', 'ann-files://x']) {
      expect(await ann.isCommon(uri), uri).toBe(false);
      expect(await ann.isCommon(`souk://common-ann/${uri}`), uri).toBe(true);
    }
  }
  // its list is read again, while another server has its address
  fixture.setToolsOf('ann', { ...offerOf('ann'), prompt: 'news' });
  await ann.signIn('vault');
  await waitUntil('the news', async () => JSON.stringify(await ann.ask('prompts/list')).includes('vault__news'));
  expect(await ann.isCommon('ann://file')).toBe(false);
  expect(await ann.isCommon('ann-files://x')).toBe(false);
  // a user without such a server has the plain address of the shared one
  expect(await bob.isCommon('ann://file')).toBe(true);
  await app.catalogue.undeploy('common-ann', { via: 'command' });
  expect(await ann.addresses()).toEqual(['ann-files://{name}', 'ann://file']);
  await deployCommon('ann', '1.0.2');
  await waitUntil('both again', async () => (await ann.addresses()).length === 4);
  expect(await ann.isCommon('ann://file')).toBe(false);
  await ann.signOut('vault');
  await waitUntil('the address to be free', async () => (await ann.addresses()).length === 2);
  expect(await ann.addresses()).toEqual(['ann-files://{name}', 'ann://file']);
  expect(await ann.isCommon('ann://file')).toBe(true);
});

test('a shared server keeps its addresses when a user signs in to one with the same addresses', async () => {
  const carl = await newPerson('carl');
  await deployCommon('carl');
  await waitUntil('the server for everyone', async () => (await carl.addresses()).length === 2);
  await deployOwn('safe');
  await carl.signIn('safe');
  await waitUntil('both', async () => (await carl.addresses()).length === 4);
  await deployCommon('carl', '1.0.1');
  await waitUntil(
    'its new version',
    () => app.catalogue.snapshot().byId.get('common-carl')?.manifest.version === '1.0.1',
  );
  expect(await carl.addresses()).toEqual([
    'carl-files://{name}',
    'carl://file',
    'souk://safe/carl-files://{name}',
    'souk://safe/carl://file',
  ]);
  for (const uri of ['carl://file', 'carl-files://x']) expect(await carl.isCommon(uri), uri).toBe(true);
});
