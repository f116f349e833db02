import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { takeUsageRows } from '#testing/figures/usage-rows.ts';
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
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);
});
afterAll(() => close?.());

const modern = { pin: '2026-07-28' } as const;
const clients: Client[] = [];
const call = { name: 'vault__echo', arguments: { text: 'hi' } };

async function connect(mode: 'legacy' | typeof modern, capabilities: ClientCapabilities = {}): Promise<Client> {
  const client = new Client({ name: 'opener', version: '1' }, { capabilities, versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.publicUrl}/mcp`), { requestInit: { headers } }),
  );
  clients.push(client);
  return client;
}
const connectOpener = () => connect(modern, { elicitation: { url: {} } });
const connectAnn = () => signInAt(ann, fixture);

test('a modern client that can open pages is asked to open one, and its call continues once the user has signed in', async () => {
  // of other tests
  await takeUsageRows(app);
  const client = await connectOpener();
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
  const rows = (await takeUsageRows(app)).map(({ outcome, rounds }) => `${outcome} ${rounds}`);
  expect(rows, 'one row of two rounds').toEqual(['ok 2']);
});

test('it is asked once: without a sign-in by then the result is the link as text', async () => {
  const client = await connectOpener();
  let asked = 0;
  client.setRequestHandler('elicitation/create', async () => {
    asked++;
    return { action: 'decline' };
  });
  const answer = await client.callTool(call);
  expect(answer).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
  expect(JSON.stringify(answer.content)).toContain(`${app.publicUrl}/connect/vault`);
  expect(asked).toBe(1);
});

/** Other requests of a user to a server, and what the response contains. */
const others: [string, (client: Client) => Promise<object>, string][] = [
  ['a prompt', (client) => client.getPrompt({ name: 'vault__hello' }), 'prompt hello'],
  ['a resource', (client) => client.readResource({ uri: 'test://a' }), 'the text'],
];

test.each(others)(
  'a modern client that can open pages is asked to open one for %s too',
  async (_what, want, answer) => {
    const client = await connectOpener();
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params);
      await connectAnn();
      return { action: 'accept' };
    });
    expect(JSON.stringify(await want(client))).toContain(answer);
    expect(asked).toMatchObject([{ mode: 'url', url: `${app.publicUrl}/connect/vault` }]);
  },
);

test.each(others)('a modern client that declines gets the error with the link for %s', async (_what, want) => {
  const client = await connectOpener();
  client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' }));
  await expect(want(client)).rejects.toMatchObject(linked());
});

test('a client that cannot open pages gets the link in the error, also for a completion and a subscription', async () => {
  for (const mode of ['legacy', modern] as const) {
    const client = await connect(mode);
    const argument = { name: 'a', value: 'b' };
    const wanted = [
      ...others.map(([, want]) => want),
      () => client.complete({ ref: { type: 'ref/prompt', name: 'vault__hello' }, argument }),
      // clients of 2026-07-28 use subscriptions/listen instead
      ...(mode === 'legacy' ? [() => client.subscribeResource({ uri: 'test://a' })] : []),
    ];
    for (const want of wanted) await expect(want(client)).rejects.toMatchObject(linked());
  }
});

function linked() {
  const url = `${app.publicUrl}/connect/vault`;
  return { code: -32603, message: expect.stringContaining(`Open ${url} in your browser`), data: { url } };
}
