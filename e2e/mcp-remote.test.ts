import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ScriptedBrowser } from '../apps/broker/src/testing/scripted-browser.ts';
import { startProduct, type Product } from './product.ts';
import { untilAllConnected } from './until-all-connected.ts';

const program = join(import.meta.dirname, '../node_modules/mcp-remote/dist/proxy.js');

let product: Product;
let home: string;
const clients: Client[] = [];

beforeAll(async () => {
  product = await startProduct();
  home = await mkdtemp(join(tmpdir(), 'souk-mcp-remote-'));
  await untilAllConnected(product.publicUrl);
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
afterAll(async () => {
  await product.kill('SIGTERM');
  await Promise.all([product.dataDir, home].map((folder) => rm(folder, { recursive: true, force: true })));
});

/**
 * A client that knows stdio alone, with mcp-remote between it and our link. `onAddress` gets the address that mcp-remote
 * would open in a browser; the browser that it finds here does nothing.
 */
async function connectThroughMcpRemote(link: string, onAddress: (address: string) => void): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, link],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, MCP_REMOTE_CONFIG_DIR: join(home, 'auth'), BROWSER: 'true' },
    stderr: 'pipe',
  });
  let printed = '';
  transport.stderr?.on('data', (chunk) => {
    printed += String(chunk);
    const address = /^(http\S+\/oauth\/authorize\?\S+)\r?\n/m.exec(printed)?.[1];
    if (address === undefined) return;
    printed = '';
    onAddress(address);
  });
  const client = new Client({ name: 'stdio-only', version: '1' });
  clients.push(client);
  await client.connect(transport, { timeout: 60_000 });
  return client;
}

test('mcp-remote signs in with nothing but the link, lists and calls, and needs no second sign-in', async () => {
  const link = `${product.publicUrl}/mcp`;
  let signIns = 0;
  let failure: unknown;
  const signIn = async (address: string) => {
    signIns += 1;
    const callback = await new ScriptedBrowser(product.publicUrl).signIn(address, { email: 'remote@souk.test' });
    await (await fetch(callback)).text();
  };
  const connect = () =>
    connectThroughMcpRemote(link, (address) => void signIn(address).catch((error: unknown) => (failure = error)));

  const client = await connect();
  expect(failure).toBeUndefined();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('travel__find_airports');
  const result = await client.callTool({ name: 'travel__find_airports', arguments: { query: 'Heathrow' } });
  expect(JSON.stringify(result.content)).toContain('LHR');
  await client.close();

  const again = await connect();
  expect((await again.listTools()).tools.length).toBe(tools.length);
  expect(signIns).toBe(1);
});
