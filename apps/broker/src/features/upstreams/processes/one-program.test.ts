import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

/** One user with several clients at one program: it keeps files, so it runs once. */
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
/** Starts a call that lasts until it is ended; resolves when it is running. */
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

describe('a program of one user, used by several of their clients', () => {
  test('is one process, restarted once for a client that can answer questions, and each client is asked only in its own calls', async () => {
    const bare = await connect({});
    const zoe = await connect({ elicitation: { form: {} } }, 'zoe');
    const max = await connect({ elicitation: { form: {} }, sampling: {} }, 'max');
    expect(await call(bare, 'peruser__ask')).toContain('may not ask');
    expect(await call(zoe, 'peruser__ask')).toContain('zoe');
    expect(pids()).toHaveLength(1);
    expect(await call(max, 'peruser__ask')).toContain('max');
    const [pid] = pids();
    expect(await call(zoe, 'peruser__ask')).toContain('zoe');
    // the program was told the capabilities of the others
    expect(await call(bare, 'peruser__ask')).toContain('does not offer elicitation/create');
    expect(pids()).toEqual([pid]);
  });

  test('asks no client while calls of two are running: its question does not say which call it belongs to', async () => {
    const zoe = await connect({ elicitation: { form: {} } }, 'zoe');
    const max = await connect({ elicitation: { form: {} } }, 'max');
    const before = await call(max, 'peruser__echo');
    const end = await hang(max);
    expect(await call(zoe, 'peruser__ask')).toContain('several clients');
    // two calls of one client are unambiguous
    expect(await call(max, 'peruser__ask')).toContain('max');
    await end();
    expect(await call(zoe, 'peruser__ask')).toContain('zoe');
    expect(await call(max, 'peruser__echo')).toBe(before);
  });

  test('does not restart during a call, even for a client with more capabilities', async () => {
    const bare = await connect({});
    const before = await call(bare, 'peruser__echo');
    const end = await hang(bare);
    expect(await call(await connect({ roots: {} }), 'peruser__echo')).toBe(before);
    await end();
  });
});

test('a program that is killed during several calls of a user answers the next one: it counts as one crash', async () => {
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

test('a shared program is one process for all users, and asks no client', async () => {
  const zoe = await connect({ elicitation: { form: {} } }, 'zoe');
  const first = await call(zoe, 'shared__echo');
  expect(await call(await connect({}), 'shared__echo')).toBe(first);
  expect(await call(zoe, 'shared__ask')).toContain('may not ask');
  expect(app.upstreams.pool.stdioPids('shared')).toHaveLength(1);
});
