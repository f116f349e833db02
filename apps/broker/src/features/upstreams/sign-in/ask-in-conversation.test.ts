import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectModern } from '#testing/mcp-clients.ts';
import { usageRows } from '#testing/usage-rows.ts';
import { signInAt, startVault, type Vault } from './testing/vault.ts';

let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];

beforeAll(async () => {
  const manifest = () => ({
    name: 'Vault',
    capabilitySnapshot: {
      tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
      prompts: [{ name: 'hello' }],
      resources: [{ uri: 'test://a', name: 'a' }],
    },
  });
  ({ fixture, app, ann, token, close } = await startVault({ manifest }));
});
afterAll(() => close?.());

const call = { name: 'vault__echo', arguments: { text: 'hi' } };

async function connectOpener(mode: 'legacy' | { pin: '2026-07-28' }): Promise<Client> {
  const client = new Client(
    { name: 'opener', version: '1' },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode } },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.publicUrl}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

const connectAnn = () => signInAt(ann, fixture);
const disconnectAnn = () => ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);

test('a modern client that can open pages is asked to, and its call goes on once the person has signed in', async () => {
  const client = await connectOpener({ pin: '2026-07-28' });
  const asked: unknown[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    await connectAnn();
    return { action: 'accept' };
  });
  expect((await client.callTool(call)).content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(asked).toMatchObject([
    { mode: 'url', url: `${app.publicUrl}/connect/vault`, message: 'Sign in to Vault to use it.' },
  ]);
  const rows = (await usageRows(app)).map(({ outcome, rounds }) => `${outcome} ${rounds}`);
  expect(rows, 'one row of two rounds').toEqual(['ok 2']);
  await client.close();
  await disconnectAnn();
});

test('it is asked once: without a sign-in by then the answer is the link as text', async () => {
  const client = await connectOpener({ pin: '2026-07-28' });
  let asked = 0;
  client.setRequestHandler('elicitation/create', async () => {
    asked++;
    return { action: 'decline' };
  });
  const answer = await client.callTool(call);
  expect(answer).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
  expect(JSON.stringify(answer.content)).toContain(`${app.publicUrl}/connect/vault`);
  expect(asked).toBe(1);
  await client.close();
});

test('a client of the eras before that can open pages gets -32042 with the page', async () => {
  const client = await connectOpener('legacy');
  const refused = client.callTool(call);
  await expect(refused).rejects.toMatchObject({
    code: -32042,
    data: { elicitations: [{ mode: 'url', url: `${app.publicUrl}/connect/vault` }] },
  });
  await client.close();
});

test('a client that can open nothing gets the link as text', async () => {
  const client = await connectModern(`${app.publicUrl}/mcp`, token);
  const answer = await client.callTool(call);
  expect(answer).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
  expect(JSON.stringify(answer)).toContain(`Open ${app.publicUrl}/connect/vault in your browser`);
  await client.close();
});

/** Other requests of a person to a server, and what the answer contains. */
const others: [string, (client: Client) => Promise<object>, string][] = [
  ['a prompt', (client) => client.getPrompt({ name: 'vault__hello' }), 'prompt hello'],
  ['a resource', (client) => client.readResource({ uri: 'test://a' }), 'the text'],
];

test.each(others)('a modern client that can open pages is asked to for %s too', async (_what, want, answer) => {
  const client = await connectOpener({ pin: '2026-07-28' });
  const asked: unknown[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    await connectAnn();
    return { action: 'accept' };
  });
  expect(JSON.stringify(await want(client))).toContain(answer);
  expect(asked).toMatchObject([{ mode: 'url', url: `${app.publicUrl}/connect/vault` }]);
  await client.close();
  await disconnectAnn();
});

test.each(others)('a modern client that declines gets the error with the link for %s', async (_what, want) => {
  const client = await connectOpener({ pin: '2026-07-28' });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' }));
  await expect(want(client)).rejects.toMatchObject(linked());
  await client.close();
});

test.each(others)('a client of the eras before that can open pages gets -32042 for %s', async (_what, want) => {
  const client = await connectOpener('legacy');
  await expect(want(client)).rejects.toMatchObject({
    code: -32042,
    data: { elicitations: [{ mode: 'url', url: `${app.publicUrl}/connect/vault` }] },
  });
  await client.close();
});

test('a client that can open nothing gets the link in the error, also for a completion and a subscription', async () => {
  const headers = { authorization: `Bearer ${token}` };
  for (const mode of ['legacy', { pin: '2026-07-28' as const }] as const) {
    const client = new Client({ name: 'plain', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${app.publicUrl}/mcp`), { requestInit: { headers } }),
    );
    const argument = { name: 'a', value: 'b' };
    const wanted = [
      ...others.map(([, want]) => want),
      () => client.complete({ ref: { type: 'ref/prompt', name: 'vault__hello' }, argument }),
      // clients of 2026-07-28 have subscriptions/listen in its place
      ...(mode === 'legacy' ? [() => client.subscribeResource({ uri: 'test://a' })] : []),
    ];
    for (const want of wanted) await expect(want(client)).rejects.toMatchObject(linked());
    await client.close();
  }
});

function linked() {
  const url = `${app.publicUrl}/connect/vault`;
  return { code: -32603, message: expect.stringContaining(`Open ${url} in your browser`), data: { url } };
}
