import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

/** One person with several clients at one program: it keeps files, so there is one of it (gateway.md, Lifetimes). */
let app: TestApp;
let token: string;
let folder: string;
const open: Client[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'one-program-'));
  const program = join(import.meta.dirname, '../../../testing/servers/small-stdio.ts');
  const stdioAllowlist = join(folder, 'allowlist.json');
  await writeFile(stdioAllowlist, JSON.stringify({ fault: { argv: ['{node}', program], reads: [program] } }));
  app = await startTestApp({ paths: { stdioAllowlist } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  for (const isolation of ['perUser', 'shared']) {
    const id = isolation.toLowerCase();
    await deployManifest(app, { id, slug: id, isolation, connection: { type: 'stdio', command: 'fault' } });
  }
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
  for (const id of ['peruser', 'shared']) await app.upstreams.pool.dropAll(id);
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function connect(capabilities: ClientCapabilities, name = 'unnamed'): Promise<Client> {
  const client = new Client({ name, version: '1' }, { capabilities, versionNegotiation: { mode: 'legacy' } });
  if (capabilities.elicitation) {
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name } }));
  }
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.publicUrl}/mcp`), { requestInit }));
  open.push(client);
  return client;
}

const call = async (client: Client, name: string) =>
  JSON.stringify((await client.callTool({ name, arguments: {} })).content);
/** A call that lasts until it is ended; it is under way when this resolves. */
async function hang(client: Client): Promise<() => Promise<void>> {
  const stop = new AbortController();
  let over: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const options = { signal: stop.signal, onprogress: () => resolve() };
    over = client.callTool({ name: 'peruser__hang', arguments: {} }, options).catch(reject);
  });
  return async () => {
    stop.abort();
    await over;
  };
}
const pids = () => app.upstreams.pool.stdioPids('peruser');

describe('a program of one person, used by several of their clients', () => {
  test('is one process, restarted once for a client that can be asked, and each client is asked in its own calls only', async () => {
    const bare = await connect({});
    const zoe = await connect({ elicitation: { form: {} } }, 'zoe');
    const max = await connect({ elicitation: { form: {} }, sampling: {} }, 'max');
    expect(await call(bare, 'peruser__ask')).toContain('may not ask');
    expect(await call(zoe, 'peruser__ask')).toContain('zoe');
    expect(pids()).toHaveLength(1);
    expect(await call(max, 'peruser__ask')).toContain('max');
    const [pid] = pids();
    expect(await call(zoe, 'peruser__ask')).toContain('zoe');
    // it was told of what the others can do
    expect(await call(bare, 'peruser__ask')).toContain('does not offer elicitation/create');
    expect(pids()).toEqual([pid]);
  });

  test('asks no client while calls of two are under way: its question does not say for which', async () => {
    const zoe = await connect({ elicitation: { form: {} } }, 'zoe');
    const max = await connect({ elicitation: { form: {} } }, 'max');
    const before = await call(max, 'peruser__echo');
    const end = await hang(max);
    expect(await call(zoe, 'peruser__ask')).toContain('several clients');
    // two calls of one client are no riddle
    expect(await call(max, 'peruser__ask')).toContain('max');
    await end();
    expect(await call(zoe, 'peruser__ask')).toContain('zoe');
    expect(await call(max, 'peruser__echo')).toBe(before);
  });

  test('does not restart during a call, even for a client that can do more', async () => {
    const bare = await connect({});
    const before = await call(bare, 'peruser__echo');
    const end = await hang(bare);
    expect(await call(await connect({ roots: {} }), 'peruser__echo')).toBe(before);
    await end();
  });
});

test('a program that is killed during many calls of a person answers their next one: it counts as one crash', async () => {
  const client = await connect({});
  await call(client, 'peruser__echo');
  const [pid = 0] = pids();
  const broken: Promise<unknown>[] = [];
  for (let count = 0; count < 6; count++) {
    await new Promise<void>((resolve) => {
      broken.push(client.callTool({ name: 'peruser__hang', arguments: {} }, { onprogress: () => resolve() }));
    });
  }
  process.kill(pid, 'SIGKILL');
  expect(JSON.stringify(await Promise.all(broken)).match(/upstream_unavailable/g)).toHaveLength(6);
  expect(await call(client, 'peruser__echo')).toMatch(/\d/);
  expect(pids()).not.toContain(pid);
});

test('a shared program is one process for everyone, and asks no client', async () => {
  const zoe = await connect({ elicitation: { form: {} } }, 'zoe');
  const first = await call(zoe, 'shared__echo');
  expect(await call(await connect({}), 'shared__echo')).toBe(first);
  expect(await call(zoe, 'shared__ask')).toContain('may not ask');
  expect(app.upstreams.pool.stdioPids('shared')).toHaveLength(1);
});
