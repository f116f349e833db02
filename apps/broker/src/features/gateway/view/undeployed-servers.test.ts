import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern, postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { startTellingServer, type TellingServer } from '../testing/telling-server.ts';

let app: TestApp;
let server: TellingServer;

beforeAll(async () => {
  server = await startTellingServer('modern');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

async function newPerson(name: string) {
  const { token } = await app.identity.createPersonalToken({ email: `${name}@souk.test`, name: 'test' });
  const { rows } = await app.db.query<{ id: string }>('select id from users where email = $1', [`${name}@souk.test`]);
  const ask = async (method: string, params: Record<string, unknown>, path = '/mcp') =>
    (await postModern(app.publicUrl + path, token, method, params)).body;
  return { token, ask, userId: rows[0]?.id ?? '' };
}
const deploy = (version: string) =>
  deployManifest(app, {
    id: 'weather',
    slug: 'sky',
    name: 'Weather',
    version,
    connection: { type: 'http', url: server.url },
  });

test('an undeployed service is named to users who used or rented it, and unknown to all others', async () => {
  await deploy('1.0.0');
  const [ann, bob, carl] = [await newPerson('ann'), await newPerson('bob'), await newPerson('carl')];
  const call = { name: 'sky__echo', arguments: { text: 'hi' } };
  expect((await ann.ask('tools/call', call)).result).toMatchObject({ content: [{ text: 'hi' }] });
  await usageRows(app);
  await app.db.query(
    `insert into access_grants (id, user_id, livemode, server_id, kind, source, period, period_ends_at, started_at)
     values (gen_random_uuid(), $1, false, 'weather', 'rental', 'payment', 'monthly', now() + interval '9 days', now())`,
    [bob.userId],
  );
  await app.catalogue.undeploy('weather', { via: 'command' });

  const gone = (kind: string) =>
    `Weather is no longer offered here, so this ${kind} no longer exists. Nothing was charged. Fetch the list again to see what is available.`;
  const named = { isError: true, content: [{ text: gone('tool') }], _meta: { 'souk/code': 'undeployed' } };
  for (const { ask } of [ann, bob]) {
    expect((await ask('tools/call', call)).result).toMatchObject(named);
    // also another of its tools, and through the built-in tool
    expect((await ask('tools/call', { name: 'sky__report' })).result).toMatchObject(named);
    expect((await ask('tools/call', { name: 'call_tool', arguments: call })).result).toMatchObject(named);
    expect((await ask('prompts/get', { name: 'sky__say' })).error).toMatchObject({ message: gone('prompt') });
  }
  for (const connect of [connectModern, connectLegacy]) {
    const client = await connect(`${app.publicUrl}/mcp`, ann.token);
    expect(await client.callTool(call)).toMatchObject(named);
    await client.close();
  }
  const rows = (await usageRows(app, ann.userId)).filter(({ reason }) => reason === 'undeployed');
  expect(rows[0]).toMatchObject({ outcome: 'refused', credits: 0 });

  // a tool that no user had is answered with the same words
  for (const [name, kind] of [
    ['sky__echo', 'tool'],
    ['nowhere__echo', 'tool'],
    ['sky__say', 'prompt'],
  ] as const) {
    const method = kind === 'tool' ? 'tools/call' : 'prompts/get';
    expect((await carl.ask(method, { name })).error).toEqual({ code: -32602, message: `Unknown ${kind}: ${name}` });
  }
  // tools that another service never had stay unknown, also to users who had it
  expect((await ann.ask('tools/call', { name: 'nowhere__echo' })).error?.message).toBe('Unknown tool: nowhere__echo');
  await deploy('1.0.1');
  expect((await ann.ask('tools/call', { name: 'sky__nothing' })).error?.message).toBe('Unknown tool: sky__nothing');
  expect((await ann.ask('tools/call', call)).result).toMatchObject({ content: [{ text: 'hi' }] });
});
