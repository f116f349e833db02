import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { signInPerson, type TestPerson } from '../sign-in/testing/person.ts';

const ids = ['alpha', 'beta', 'gamma', 'delta'];

describeOnDatabases('switches', migrations, (open) => {
  let fixture: HttpFixture;
  let app: TestApp;
  let ann: TestPerson;
  let bob: TestPerson;
  let preferences: string;
  let token: string;

  beforeAll(async () => {
    fixture = await startHttpFixture();
    app = await startTestApp({ db: await open(), allowAddresses: [fixture.address] });
    const bought = { id: 'bought', billing: { tier: 'T2' } };
    await deployManifest(app, { ...bought, connection: { type: 'http', url: fixture.url } });
    for (const id of ids) {
      await deployManifest(app, { id, connection: { type: 'http', url: fixture.url }, isolation: 'shared' });
    }
    ann = await signInPerson(app.publicUrl, 'ann@souk.test');
    bob = await signInPerson(app.publicUrl, 'bob@souk.test');
    preferences = `/api/users/${ann.userId}/mcp-preferences`;
    token = (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
  });
  beforeEach(async () => {
    for (const person of [ann, bob]) {
      await person.call('PUT', `/api/users/${person.userId}/mcp-preferences`, { disabledServers: [] });
    }
  });
  afterAll(async () => {
    await app?.stop();
    await fixture?.close();
  });

  const read = async () => (await ann.call('GET', preferences)).body['disabledServers'];
  const write = (disabledServers: unknown) => ann.call('PUT', preferences, { disabledServers });
  /** Requested directly: the official client caches a list for as long as the response says. */
  const serversOf = async (bearer: string) => {
    const names = JSON.stringify((await postModern(`${app.publicUrl}/mcp`, bearer, 'tools/list')).body);
    return ids.filter((id) => names.includes(`"${id}__echo"`));
  };

  test('[TOG-2] [TOG-5] [TOG-7] switching off puts the id into the saved list, and the answer has a message', async () => {
    await write([]);
    const answer = await ann.call('POST', '/mcp/beta/disable');
    expect(answer).toEqual({ status: 200, body: { success: true, message: 'beta is disabled' } });
    expect(await read()).toEqual(['beta']);
    expect((await ann.call('GET', '/v2/user/profile')).body['disabledServers']).toEqual(['beta']);
  });

  test('[TOG-1] [TOG-6] switching on takes the id out of the saved list', async () => {
    await write(['alpha', 'beta']);
    const answer = await ann.call('POST', '/mcp/beta/enable');
    expect(answer).toEqual({ status: 200, body: { success: true, message: 'beta is enabled' } });
    expect(await read()).toEqual(['alpha']);
    expect((await ann.call('POST', '/mcp/beta/enable')).body).toMatchObject({ success: true });
  });

  test('an unknown server cannot be switched', async () => {
    for (const action of ['enable', 'disable']) {
      const answer = await ann.call('POST', `/mcp/nowhere/${action}`);
      expect(answer).toMatchObject({ status: 404, body: { message: 'There is no server nowhere' } });
    }
  });

  test('[ERR-3] a server that the user may not use cannot be switched on or off, and the saved list stays as it is', async () => {
    const message = 'Access denied. Required permissions missing.';
    for (const list of [['bought'], []]) {
      expect(await write(list)).toMatchObject({ status: 200, body: { disabledServers: list } });
      for (const action of ['enable', 'disable']) {
        const answer = await ann.call('POST', `/mcp/bought/${action}`);
        expect(answer).toEqual({ status: 403, body: { success: false, code: 'forbidden', message } });
        expect(await read()).toEqual(list);
      }
    }
  });

  test('an endpoint says whether a user may use a server, and whether its tools are in their link', async () => {
    const ask = (id: string, person = ann) => person.call('GET', `/api/users/${ann.userId}/server-access/${id}`);
    await write(['beta']);
    expect((await ask('alpha')).body).toEqual({ success: true, entitled: true, enabled: true });
    expect((await ask('beta')).body).toEqual({ success: true, entitled: true, enabled: false });
    expect((await ask('bought')).body).toEqual({ success: true, entitled: false, enabled: false });
    expect(await ask('nowhere')).toMatchObject({ status: 404, body: { message: 'There is no server nowhere' } });
    expect((await ask('alpha', bob)).status).toBe(404);
  });

  test('[TOG-8] [TOG-9] concurrent switches in several tabs are all kept', async () => {
    for (let round = 0; round < 5; round++) {
      await write(['alpha', 'beta']);
      await Promise.all([
        ann.call('POST', '/mcp/alpha/enable'),
        ann.call('POST', '/mcp/beta/enable'),
        ann.call('POST', '/mcp/gamma/disable'),
        ann.call('POST', '/mcp/delta/disable'),
      ]);
      expect(await read()).toEqual(['delta', 'gamma']);
    }
  });

  test('[TOG-10] [TOG-11] [TOG-12] the list is read and replaced as a whole; two concurrent replacements do not mix', async () => {
    expect(await write(['gamma', 'alpha'])).toMatchObject({
      status: 200,
      body: { disabledServers: ['alpha', 'gamma'] },
    });
    for (let round = 0; round < 5; round++) {
      await Promise.all([write(['alpha', 'beta']), write(['gamma', 'delta'])]);
      expect([
        ['alpha', 'beta'],
        ['delta', 'gamma'],
      ]).toContainEqual(await read());
    }
  });

  test.each([[['../x']], [['ALPHA']], [['nowhere']], [[7]], ['alpha']])(
    '[TOG-13] %j is not a list of servers',
    async (wrong) => {
      await write(['alpha']);
      expect(await write(wrong)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(await read()).toEqual(['alpha']);
    },
  );

  test('[TOG-14] preferences are refused without a session, with another kind of token, and to another user', async () => {
    for (const method of ['GET', 'PUT']) {
      const answer = await fetch(`${app.publicUrl}${preferences}`, { method });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ success: false, message: 'User not authenticated' });
      expect(await bob.call(method, preferences, method === 'PUT' ? { disabledServers: [] } : undefined)).toMatchObject(
        {
          status: 404,
        },
      );
    }
    const authorization = `Bearer ${token}`;
    expect((await fetch(`${app.publicUrl}${preferences}`, { headers: { authorization } })).status).toBe(200);
    const json = { authorization, 'content-type': 'application/json' };
    const put = { method: 'PUT', headers: json, body: '{"disabledServers":[]}' };
    expect((await fetch(`${app.publicUrl}${preferences}`, put)).status).toBe(401);
    const enable = await fetch(`${app.publicUrl}/mcp/alpha/enable`, { method: 'POST', headers: { authorization } });
    expect(enable.status).toBe(401);
    const none = await fetch(`${app.publicUrl}/mcp/alpha/enable`, { method: 'POST' });
    expect(await none.json()).toMatchObject({ message: 'Authentication required. Please log in.' });
  });

  test('[TOG-4] a switched-off server leaves all lists of that user immediately, and calls to it fail', async () => {
    await write([]);
    const bobToken = (await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' })).token;
    expect(await serversOf(token)).toEqual(ids);
    await ann.call('POST', '/mcp/beta/disable');
    expect(await serversOf(token)).toEqual(['alpha', 'gamma', 'delta']);
    expect(await serversOf(bobToken)).toEqual(ids);
    const call = async (name: string) =>
      (await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name, arguments: { text: 'x' } })).body;
    const { result } = await call('beta__echo');
    expect(result).toMatchObject({ isError: true, _meta: { 'souk/code': 'switched_off' } });
    expect(JSON.stringify(result)).toContain(`${app.publicUrl}/service/beta`);
    expect((await call('omega__echo')).error).toMatchObject({ code: -32602, message: 'Unknown tool: omega__echo' });
    // its own link says so; the link of a server that is not deployed does not
    const single = (id: string) => postModern(`${app.publicUrl}/s/${id}/mcp`, token, 'tools/list');
    expect((await single('beta')).body.error?.message).toContain('beta is switched off. Turn it on: ');
    expect((await single('omega')).body.error?.message).toBe('Unknown server');
    await ann.call('POST', '/mcp/beta/enable');
    expect(await serversOf(token)).toEqual(ids);
  });

  test('only the clients of the user who switched are notified that lists changed', async () => {
    const heard: Record<string, string[]> = { ann: [], carl: [] };
    // his switches were never changed
    const carl = await signInPerson(app.publicUrl, 'carl@souk.test');
    const carlToken = (await app.identity.createPersonalToken({ email: 'carl@souk.test', name: 'test' })).token;
    const clients = await Promise.all([
      connectLegacy(`${app.publicUrl}/mcp`, token),
      connectLegacy(`${app.publicUrl}/mcp`, carlToken),
    ]);
    clients[0].onNotice((method) => heard['ann']?.push(method));
    clients[1].onNotice((method) => heard['carl']?.push(method));
    await ann.call('POST', '/mcp/gamma/disable');
    await waitUntil('Ann to be notified', () => heard['ann']?.includes('notifications/tools/list_changed') === true);
    await carl.call('POST', '/mcp/alpha/disable');
    await waitUntil(
      'Carl to be notified of his own change',
      () => heard['carl']?.includes('notifications/tools/list_changed') === true,
    );
    expect(heard['carl']?.filter((method) => method === 'notifications/tools/list_changed')).toHaveLength(1);
    await Promise.all(clients.map((client) => client.close()));
  });
});
