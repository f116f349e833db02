import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { fixtureTools, startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { signInPerson, type TestPerson } from './testing/person.ts';

const operatorSecret = 'operator-secret-5f1d';
let fixture: HttpFixture;
let app: TestApp;
let ann: TestPerson;
let bob: TestPerson;
const tokens = new Map<TestPerson, string>();

beforeAll(async () => {
  fixture = await startHttpFixture();
  app = await startTestApp({
    allowAddresses: [fixture.address],
    env: { UPSTREAM_HEADER_KEY_SHOP__X_SHOP_KEY: operatorSecret },
  });
  ann = await signInPerson(app.publicUrl, 'ann@souk.test');
  bob = await signInPerson(app.publicUrl, 'bob@souk.test');
  tokens.set(ann, (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token);
  tokens.set(bob, (await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' })).token);
  await deployManifest(app, {
    id: 'key-shop',
    connection: { type: 'http', url: fixture.url },
    // has no effect: one user's secret never serves another
    isolation: 'shared',
    auth: {
      type: 'headers',
      headers: [
        { name: 'X-Shop-Key', from: 'operator' },
        { name: 'X-Person-Key', from: 'user', description: 'Your key of the shop' },
      ],
    },
  });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const path = (person: TestPerson) => `/api/users/${person.userId}/upstream-connections/key-shop`;
const put = (person: TestPerson, headers: Record<string, unknown>) => person.call('PUT', path(person), { headers });
/** Returns what a user's client lists of the server. */
async function listedFor(person: TestPerson): Promise<unknown> {
  const params = { name: 'list_my_servers', arguments: {} };
  const answer = await postModern(`${app.publicUrl}/mcp`, tokens.get(person) ?? '', 'tools/call', params);
  return answer.body.result?.['structuredContent'];
}
async function callAs(person: TestPerson) {
  fixture.seen.requests.length = 0;
  const params = { name: 'key-shop__echo', arguments: { text: 'hi' } };
  const answer = await postModern(`${app.publicUrl}/mcp`, tokens.get(person) ?? '', 'tools/call', params);
  const sent = fixture.seen.requests.find(({ method }) => method === 'tools/call')?.headers;
  return { result: answer.body.result, sent };
}

describe('the headers of two users, from the first call to the disconnect', { shuffle: false }, () => {
  test('a call without the headers that the user must supply is not sent, and the answer says where to enter them', async () => {
    const { result, sent } = await callAs(ann);
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'souk/code': 'sign_in_required', 'souk/url': `${app.publicUrl}/connect/key-shop` },
    });
    expect(sent).toBeUndefined();
    const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
    expect(body['connections']).toMatchObject([
      { auth: 'headers', state: 'headers-missing', headers: [{ name: 'X-Person-Key', present: false }] },
    ]);
    expect(await listedFor(ann)).toMatchObject({
      servers: [{ id: 'key-shop', needsSignIn: true, signInAt: `${app.publicUrl}/connect/key-shop` }],
    });
  });

  test("each user's calls carry their own header and the operator's, and never another user's", async () => {
    for (const who of ['Ann', 'Bob'])
      fixture.setToolsWith('x-person-key', `key of ${who}`, [
        ...fixtureTools,
        { name: `of_${who}`, inputSchema: { type: 'object' } },
      ]);
    const saved = await put(ann, { 'x-person-key': 'key of Ann' });
    expect(saved).toMatchObject({
      status: 200,
      body: { connection: { state: 'signed-in', headers: [{ present: true }] } },
    });
    expect(JSON.stringify(saved.body)).not.toContain('key of Ann');
    expect(JSON.stringify(await listedFor(ann))).not.toContain('needsSignIn');
    await put(bob, { 'X-Person-Key': 'key of Bob' });
    for (const [person, key] of [
      [ann, 'key of Ann'],
      [bob, 'key of Bob'],
      [ann, 'key of Ann'],
    ] as const) {
      const { result, sent } = await callAs(person);
      expect(result).toMatchObject({ content: [{ text: 'hi' }] });
      expect(sent).toMatchObject({ 'x-person-key': key, 'x-shop-key': operatorSecret });
      expect(sent).not.toHaveProperty('authorization');
    }
  });

  test("each user sees what their own key opens: nothing of the other user's can be listed or called", async () => {
    for (const [person, own, others] of [
      [ann, 'key-shop__of_Ann', 'key-shop__of_Bob'],
      [bob, 'key-shop__of_Bob', 'key-shop__of_Ann'],
    ] as const) {
      const ask = async (method: string, params = {}) =>
        (await postModern(`${app.publicUrl}/mcp`, tokens.get(person) ?? '', method, params)).body;
      const list = async () => JSON.stringify((await ask('tools/list')).result);
      await waitUntil('their own tools', async () => (await list()).includes(own));
      expect(await list()).not.toContain(others);
      expect((await ask('tools/call', { name: own })).result).toMatchObject({
        content: [{ text: `${own.replace('key-shop__', '')} was called` }],
      });
      expect((await ask('tools/call', { name: others })).error).toMatchObject({
        code: -32602,
        message: `Unknown tool: ${others}`,
      });
    }
    // the server also lists without a key: the shop shows only that
    const visitor = await (await fetch(`${app.publicUrl}/mcp/tools`)).text();
    expect(visitor).toContain('key-shop__echo');
    expect(visitor).not.toContain('key-shop__of_');
  });

  test('a new header replaces the old one immediately', async () => {
    await put(ann, { 'X-Person-Key': 'new key of Ann' });
    expect((await callAs(ann)).sent).toMatchObject({ 'x-person-key': 'new key of Ann' });
  });

  test.each([
    [{ 'X-Person-Key': 'a\r\nx-evil: 1' }, 'headers.X-Person-Key: must be one line of plain characters'],
    [{ 'X-Person-Key': ' a' }, 'headers.X-Person-Key: must be one line of plain characters'],
    [{ 'X-Person-Key': '' }, 'headers.X-Person-Key: must not be empty'],
    [{ 'X-Shop-Key': 'mine' }, 'key-shop does not ask for the header X-Shop-Key'],
    [{ authorization: 'mine' }, 'key-shop does not ask for the header authorization'],
  ])('%j is refused', async (headers, message) => {
    expect(await put(ann, headers)).toMatchObject({ status: 400, body: { code: 'invalid_request', message } });
  });

  test("a user cannot read, change or remove another user's headers", async () => {
    for (const [method, body] of [
      ['PUT', { headers: { 'X-Person-Key': 'x' } }],
      ['DELETE', undefined],
    ] as const) {
      expect(await bob.call(method, path(ann), body)).toMatchObject({ status: 404 });
    }
    expect(await bob.call('GET', `/api/users/${ann.userId}/upstream-connections`)).toMatchObject({ status: 404 });
    expect((await callAs(ann)).sent).toMatchObject({ 'x-person-key': 'new key of Ann' });
  });

  test('disconnecting deletes the headers, and no secret appears in the database or in a log', async () => {
    const { rows } = await app.db.query('select * from upstream_connections');
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toMatch(/key of/);
    expect((await ann.call('DELETE', path(ann))).body).toMatchObject({ message: 'Disconnected from key-shop' });
    expect((await callAs(ann)).result).toMatchObject({ isError: true });
    expect(app.logged()).not.toMatch(/key of|operator-secret/);
  });
});
