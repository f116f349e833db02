import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { connectOverheard, type OverheardClient } from '../testing/overheard-client.ts';

// A client is notified of a changed list that its user sees at its link, and of no other.

let app: TestApp;
let fixture: HttpFixture;
beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  for (const id of ['one', 'two']) await deployManifest(app, { id, connection: { type: 'http', url: fixture.url } });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

let count = 0;
/** Changes one list of a server. */
const change = (id: string, kind: 'tools' | 'prompts') => {
  const server = app.catalogue.snapshot().byId.get(id);
  const definitions = (of: 'tools' | 'prompts' | 'resources' | 'templates') =>
    (server?.[of] ?? []).map(({ definition }) => definition);
  const lists = {
    tools: definitions('tools'),
    prompts: definitions('prompts'),
    resources: definitions('resources'),
    templates: definitions('templates'),
  };
  // a new tool is in no list until it is approved
  const changed = kind === 'tools' ? lists.tools.slice(1) : [...lists.prompts, { name: `added-${(count += 1)}` }];
  const offered = { ...lists, [kind]: changed };
  return app.catalogue.storeDiscovery(id, { era: 'modern', instructions: undefined, ...offered });
};
const heard = ({ notices }: OverheardClient) =>
  notices.flatMap((line) => /^notifications\/(\w+)\/list_changed/.exec(line)?.[1] ?? []);

test.each([
  ['up to 2025-11-25', 'legacy'],
  ['since 2026-07-28', { pin: '2026-07-28' }],
] as const)('%s', async (_era, mode) => {
  const people = ['ann@souk.test', 'bob@souk.test'];
  const [ann, bob] = await Promise.all(
    people.map(async (email) => (await app.identity.createPersonalToken({ email, name: 'test' })).token),
  );
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'bob@souk.test' });
  const headers = { authorization: `Bearer ${accessToken}` };
  await fetch(`${app.publicUrl}/mcp/two/disable`, { method: 'POST', headers });
  const connect = async (path: string, token = '') => {
    const client = await connectOverheard(`${app.publicUrl}${path}`, token, 'any', mode, {});
    if (mode !== 'legacy') {
      await client.client.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    }
    // a user's view is in memory after their first request
    await client.client.listTools();
    return client;
  };
  const clients = await Promise.all([
    connect('/mcp', ann),
    connect('/s/one/mcp', ann),
    connect('/s/two/mcp', ann),
    connect('/mcp', bob),
  ]);
  for (const { notices } of clients) notices.length = 0;

  await change('two', 'tools');
  await waitUntil(
    'users who have two to be notified',
    () => heard(clients[0]).length > 0 && heard(clients[2]).length > 0,
  );
  await change('one', 'prompts');
  await waitUntil('the others to be notified', () => heard(clients[1]).length > 0 && heard(clients[3]).length > 0);
  await waitUntil('all to be notified', () => heard(clients[0]).length > 1);
  expect(clients.map(heard)).toEqual([['tools', 'prompts'], ['prompts'], ['tools'], ['prompts']]);
  await Promise.all(clients.map(({ stop }) => stop()));
});
