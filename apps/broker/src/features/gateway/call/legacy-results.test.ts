import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { connectLegacy, connectModern, connectV1 } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import {
  answeredWrongly,
  charged,
  connect,
  given,
  startPromisingServers,
  ways,
  type PromisingServers,
} from './testing/promising-servers.ts';

// Since 2026-07-28 structured content may be of any type. Older clients see such a tool, and its results, wrapped in an
// object.

let app: TestApp;
let servers: PromisingServers;
beforeAll(async () => {
  servers = await startPromisingServers();
  app = await startTestApp({ allowAddresses: servers.addresses, env: withoutHealthChecks });
  await servers.deploy(app);
});
afterAll(async () => {
  await app?.stop();
  await servers?.close();
});

test.each(ways)(
  'up to 2025-11-25 a client reads structured content of every type wrapped in an object, as its tool is listed: %s',
  async (way) => {
    const ann = await connect(app, 'legacy', way);
    for (const [server, what, value] of [
      ['some', 'null', null],
      ['some', 'a number', 1],
      ['any', 'a list', [1]],
      ['any', 'good', { a: 1 }],
    ] as const) {
      const read = await ann.call(server, what);
      expect(read, what).toMatchObject({ ...charged, structuredContent: { result: value } });
      const text = what === 'good' ? [] : [{ type: 'text', text: JSON.stringify(value) }];
      expect(read?.['content'], what).toEqual(text);
    }
    expect(await ann.call('modern', 'good')).toMatchObject({ ...charged, structuredContent: { a: 1 } });
  },
);

test.each(ways)(
  'up to 2025-11-25 a non-object result of a tool without an outputSchema is sent as text: %s',
  async (way) => {
    const [ann, bob] = await Promise.all([connect(app, 'legacy', way), connect(app, 'modern', way)]);
    for (const [what, value] of [
      ['a list', [1]],
      ['a number', 1],
      ['a text', 'a'],
    ] as const) {
      const content = [{ type: 'text', text: JSON.stringify(value) }];
      const { _meta, ...read } = { ...(await ann.call('plain', what)) };
      expect(read, what).toEqual({ content });
      expect(_meta, what).toMatchObject(charged._meta);
      expect(await bob.call('plain', what), what).toMatchObject({ content: [], structuredContent: value });
      // nor is a schema listed for call_tool
      const inner = { name: 'call_tool', arguments: { name: 'any__say', arguments: { what } } };
      const { _meta: _, ...through } = { ...(await ann.call('', '', inner)) };
      expect(through, what).toEqual({ content });
    }
    expect(await ann.call('plain', 'good')).toMatchObject({ ...charged, content: [], structuredContent: { a: 1 } });
  },
);

test.each([
  ['1.x', connectV1],
  ['2.x, up to 2025-11-25', connectLegacy],
  ['2.x', connectModern],
])('the official client accepts every result that is charged: %s', async (_version, open) => {
  const email = `${randomUUID()}@souk.test`;
  const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
  await giveCredits(app, email, given);
  const client = await open(`${app.publicUrl}/mcp`, token);
  // with the list it has the schemas, which it validates against
  await client.listTools();
  for (const [server, what] of [
    ['modern', 'good'],
    ['legacy', 'good'],
    ['any', 'a list'],
    ['any', 'good'],
    ['some', 'null'],
    ['plain', 'a list'],
    ['plain', 'good'],
  ]) {
    const params = { name: `${server}__say`, arguments: { what } };
    expect(await client.callTool(params), `${server} ${what}`).toMatchObject(charged);
  }
  const wrong = { name: 'any__say', arguments: { what: 'not there' } };
  expect(await client.callTool(wrong)).toMatchObject(answeredWrongly('any'));
  await client.close();
});
