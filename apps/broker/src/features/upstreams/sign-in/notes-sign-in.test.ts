import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern, type TestClient } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { connectNotes, consentAtNotes, signInPerson, type TestPerson } from './testing/person.ts';

const manifestPath = new URL('../../../../../../catalogue/deployed/notes.json', import.meta.url);
let app: TestApp;
let ann: TestPerson;
let bob: TestPerson;
let annClient: TestClient;
let bobClient: TestClient;

beforeAll(async () => {
  app = await startTestApp();
  await deployManifest(app, JSON.parse(readFileSync(manifestPath, 'utf8')));
  ann = await signInPerson(app.publicUrl, 'ann@souk.test');
  bob = await signInPerson(app.publicUrl, 'bob@souk.test');
  const token = async (email: string) => (await app.identity.createPersonalToken({ email, name: 'test' })).token;
  annClient = await connectModern(`${app.publicUrl}/mcp`, await token('ann@souk.test'));
  bobClient = await connectLegacy(`${app.publicUrl}/mcp`, await token('bob@souk.test'));
});
afterAll(async () => {
  await annClient?.close();
  await bobClient?.close();
  await app?.stop();
});

const callText = async (client: TestClient, name: string, args: Record<string, unknown> = {}) =>
  JSON.stringify(await client.callTool({ name, arguments: args }));

async function stateOf(person: TestPerson): Promise<Record<string, unknown>> {
  const { body } = await person.call('GET', `/api/users/${person.userId}/upstream-connections`);
  const connections = body['connections'];
  if (!Array.isArray(connections)) throw new Error(JSON.stringify(body));
  return connections.find(({ serverId }) => serverId === 'notes');
}

describe('the accounts of two users, from the sign-in to the disconnect', { shuffle: false }, () => {
  test('a server that needs a sign-in is connected, and its tools are listed from its manifest', async () => {
    expect(app.catalogue.snapshot().byId.get('notes')).toMatchObject({
      status: 'connected',
      statusDetail: 'Sign-in required',
    });
    const { tools } = await annClient.listTools();
    expect(tools.map(({ name }) => name)).toContain('notes__create_note');
    expect(await stateOf(ann)).toMatchObject({ state: 'none', enabled: true, auth: 'oauth' });
  });

  test('[TOG-1] [TOG-3] [TOG-22] [TOG-24] enabling answers where to sign in, the callback finishes it and switches on, and a second enable agrees', async () => {
    await ann.call('POST', '/mcp/notes/disable');
    const first = await ann.call('POST', '/mcp/notes/enable');
    expect(first).toMatchObject({
      status: 200,
      body: { success: false, requiresOAuth: true, message: 'Sign in to Notes to enable it' },
    });
    const authUrl = new URL(String(first.body['authUrl']));
    // the host of a demo service would mean nothing to users
    expect(first.body['provider']).toBe('Notes');
    expect(first.body['sessionId']).toMatch(/^[0-9a-f-]{36}$/);
    expect(authUrl.searchParams.get('redirect_uri')).toBe(`${app.publicUrl}/connect/callback`);
    expect(authUrl.searchParams.get('code_challenge_method')).toBe('S256');
    expect(authUrl.searchParams.get('resource')).toBe(`${authUrl.origin}/mcp`);

    const back = await consentAtNotes(authUrl.href, { name: 'Ann', decision: 'allow' });
    const finished = await ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
    expect(finished).toMatchObject({ status: 200, body: { success: true, serverId: 'notes' } });
    expect(await stateOf(ann), 'also if the page that asked is not notified').toMatchObject({ enabled: true });

    const second = await ann.call('POST', '/mcp/notes/enable');
    expect(second).toEqual({ status: 200, body: { success: true, message: 'Notes is enabled' } });
    // switching it off and on again needs no second sign-in
    expect((await ann.call('POST', '/mcp/notes/disable')).body).toMatchObject({ success: true });
    expect(await ann.call('POST', '/mcp/notes/enable')).toEqual(second);
    expect(await stateOf(ann)).toMatchObject({ state: 'signed-in', provider: 'Notes' });
    expect(await callText(annClient, 'notes__create_note', { title: 'Of Ann', body: 'secret' })).toContain('Created');
  });

  test('a sign-in from the account page does not change the switch', async () => {
    const dan = await signInPerson(app.publicUrl, 'dan@souk.test');
    await dan.call('POST', '/mcp/notes/disable');
    const account = `/api/users/${dan.userId}/upstream-connections/notes`;
    const started = await dan.call('POST', `${account}/sign-in`);
    const back = await consentAtNotes(String(started.body['authUrl']), { name: 'Dan', decision: 'allow' });
    await dan.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
    expect(await stateOf(dan)).toMatchObject({ state: 'signed-in', enabled: false });
    await dan.call('DELETE', account);
  });

  test("a user cannot use another user's account", async () => {
    const refused = await bobClient.callTool({ name: 'notes__search_notes', arguments: { query: 'Ann' } });
    expect(refused).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
    expect(JSON.stringify(refused)).toContain(`${app.publicUrl}/connect/notes`);
    // the server did not fail: its record is not affected by users without an account
    const [row] = await usageRows(app, bob.userId);
    expect(row).toMatchObject({ outcome: 'refused', reason: 'sign_in_required' });
    await connectNotes(bob, 'Bob');
    expect(await callText(bobClient, 'notes__search_notes', { query: 'Ann' })).not.toContain('Of Ann');
    expect(await callText(annClient, 'notes__search_notes', { query: 'Ann' })).toContain('Of Ann');
  });

  test('[USR-10] the record of a user names the servers at which they have an account, for as long as they have it', async () => {
    const administrator = await signInPerson(app.publicUrl, 'admin@souk.test');
    const cleo = await signInPerson(app.publicUrl, 'cleo@souk.test');
    const connections = async (): Promise<unknown> => {
      const { body } = await administrator.call('GET', '/admin/users?search=cleo@souk.test');
      const [record] = [body['users']].flat();
      return Object(record)['oauthConnections'];
    };
    expect(await connections()).toEqual({});
    await connectNotes(cleo, 'Cleo');
    expect(await connections()).toEqual({ notes: { connected: true } });
    await cleo.call('DELETE', `/api/users/${cleo.userId}/upstream-connections/notes`);
    expect(await connections()).toEqual({});
  });

  test('disconnecting deletes the tokens here and revokes them there', async () => {
    const path = `/api/users/${bob.userId}/upstream-connections/notes`;
    expect((await bob.call('DELETE', path)).body).toEqual({ success: true, message: 'Disconnected from Notes' });
    expect(await stateOf(bob)).toMatchObject({ state: 'none' });
    expect(await callText(bobClient, 'notes__list_tags')).toContain('sign_in_required');
    expect((await bob.call('DELETE', path)).body).toMatchObject({ message: 'Notes was not connected' });
  });

  test('no token of a server appears in the database, in a log or in a response', async () => {
    const { rows } = await app.db.query<{ sealed: string }>('select sealed from upstream_connections');
    expect(rows.map(({ sealed }) => sealed)).toEqual([expect.stringMatching(/^v1\./)]);
    expect(JSON.stringify(await stateOf(ann))).not.toMatch(/token|secret/i);
  });
});
