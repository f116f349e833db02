import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectV1 } from '../apps/broker/src/testing/mcp-clients.ts';
import { connectBySignIn, type SignedIn } from './oauth-client.ts';
import { runToEnd, startProduct, type Product } from './product.ts';
import { untilAllConnected } from './until-all-connected.ts';

let product: Product;
let link: string;
let token: string;

beforeAll(async () => {
  product = await startProduct();
  link = `${product.publicUrl}/mcp`;
  await untilAllConnected(product.publicUrl);
  const created = await runToEnd(
    ['apps/broker/src/souk.ts', 'token', 'create', '--email', 'zoe@souk.test', '--name', 'inspector'],
    { DATA_DIR: product.dataDir },
  );
  token = created.stdout.trim();
});
afterAll(async () => {
  await product?.kill('SIGTERM');
  await rm(product.dataDir, { recursive: true, force: true });
});

test('[CFG-1] [CFG-17] the start prints the address, the link and how to sign in', () => {
  expect(product.output()).toContain(product.publicUrl);
  expect(product.output()).toContain(link);
  expect(product.output()).toMatch(/sign in/i);
  expect(product.output()).toContain('admin@souk.test');
});

test('[CFG-23] [CFG-24] token create prints a token alone, for a user of the stand-in that it creates', () => {
  expect(token).toMatch(/^souk_pat_[A-Za-z0-9_-]{43}$/);
});

describe.each(['modern', 'legacy'] as const)('the official SDK v2 (%s)', (era) => {
  let signedIn: SignedIn;
  beforeAll(async () => {
    signedIn = await connectBySignIn(link, `${era}@souk.test`, era);
  });
  afterAll(() => signedIn?.client.close());

  test('signs in by itself from the link alone: discovery, registration, consent, token', () => {
    expect(signedIn.clientId).toMatch(/^client_/);
  });

  test('lists the tools of every service that is free, and none that is not', async () => {
    const { tools } = await signedIn.client.listTools();
    const services = new Set(tools.map(({ name }) => name.split('__')[0]));
    expect(services).toEqual(new Set(['calendar', 'everything', 'files', 'memory', 'notes', 'travel']));
  });

  test('calls tools of stdio, HTTP and WebSocket services', async () => {
    const { client } = signedIn;
    const echo = await client.callTool({ name: 'everything__echo', arguments: { message: 'over stdio' } });
    expect(JSON.stringify(echo.content)).toContain('over stdio');
    const distance = await client.callTool({ name: 'travel__distance', arguments: { from: 'LHR', to: 'JFK' } });
    expect(JSON.stringify(distance.structuredContent)).toMatch(/55[2-5]\d/);
    const event = await client.callTool({
      name: 'calendar__create_event',
      arguments: { title: 'Over WebSocket', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' },
    });
    expect(event.isError).toBeFalsy();
  });

  test('hears the progress of a long call over stdio and HTTP', async () => {
    const { client } = signedIn;
    const calls = [
      { name: 'everything__trigger-long-running-operation', arguments: { duration: 1, steps: 4 } },
      { name: 'travel__plan_round_trip', arguments: { airports: ['LHR', 'JFK', 'NRT', 'SYD', 'GRU'] } },
    ];
    for (const call of calls) {
      const heard: number[] = [];
      const result = await client.callTool(call, { onprogress: ({ progress }) => heard.push(progress) });
      expect(result.isError, JSON.stringify(result.content)).toBeFalsy();
      expect(heard.length, call.name).toBeGreaterThanOrEqual(3);
      expect(heard).toEqual([...heard].sort((a, b) => a - b));
    }
  });

  test('cancels a long call at once', async () => {
    const abort = new AbortController();
    const start = performance.now();
    const call = signedIn.client.callTool(
      { name: 'travel__plan_round_trip', arguments: { airports: ['LHR', 'JFK', 'NRT', 'SYD', 'GRU'] } },
      { signal: abort.signal, onprogress: () => abort.abort() },
    );
    await expect(call).rejects.toThrow(/abort/i);
    expect(performance.now() - start).toBeLessThan(4000);
  });

  test('is told in words that notes needs a sign-in of its own', async () => {
    const result = await signedIn.client.callTool({ name: 'notes__list_tags', arguments: {} });
    expect(result).toMatchObject({ isError: true, _meta: { code: 'sign_in_required' } });
  });
});

test('[TOK-5] SDK 1.x lists and calls with a personal token, on both links', async () => {
  const client = await connectV1(link, token);
  const result = await client.callTool({ name: 'travel__find_airports', arguments: { query: 'Heathrow' } });
  expect(JSON.stringify(result)).toContain('LHR');
  await client.close();
  const single = await connectV1(`${product.publicUrl}/s/travel/mcp`, token);
  expect((await single.listTools()).tools.map(({ name }) => name)).toContain('find_airports');
  await single.close();
});

describe.each(['legacy', 'modern'] as const)("the MCP Inspector's --cli (%s)", (era) => {
  test('lists tools', async () => {
    const { tools } = await inspect(era, ['--method', 'tools/list']);
    expect(tools?.map(({ name }) => name)).toContain('travel__find_airports');
  });

  test('calls a tool', async () => {
    const args = ['--method', 'tools/call', '--tool-name', 'everything__echo', '--tool-arg', 'message=by Inspector'];
    const result = await inspect(era, args);
    expect(JSON.stringify(result.content)).toContain('by Inspector');
  });
});

type Inspected = { tools?: { name: string }[]; content?: unknown };

async function inspect(era: 'legacy' | 'modern', args: string[]): Promise<Inspected> {
  const home = await mkdtemp(join(tmpdir(), 'inspector-'));
  const launcher = join(
    import.meta.dirname,
    '../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  );
  const child = spawn(
    process.execPath,
    [
      launcher,
      '--cli',
      link,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${token}`,
      ...(era === 'modern' ? ['--protocol-era', 'modern'] : []),
      ...args,
    ],
    { env: { PATH: process.env['PATH'], HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const code = await new Promise((resolve) => child.on('close', resolve));
  await rm(home, { recursive: true, force: true });
  expect(code, stderr).toBe(0);
  const answer: Inspected = JSON.parse(stdout);
  return answer;
}
