import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getCapabilities } from '../packages/contract/src/catalogue/catalogue.ts';
import { connectLegacy } from '../apps/broker/src/testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '../apps/broker/src/testing/servers/mcp-fixture.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { newDataDir, runToEnd, startProduct, type Product } from './product.ts';

let dataDir: string;
let own: string;
let product: Product;
let server: HttpFixture;
beforeAll(async () => {
  server = await startHttpFixture();
  dataDir = await newDataDir();
  own = join(dataDir, 'own');
  await mkdir(own);
  await writeFile(join(own, 'shelf.json'), manifest('shelf'));
  product = await start();
});
afterAll(async () => {
  await product?.kill('SIGTERM');
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const start = () =>
  startProduct({
    dataDir,
    env: { UPSTREAM_ALLOW_ADDRESSES: server.address, CATALOGUE_DIR: own, BUNDLED_CATALOGUE: 'off' },
  });
const manifest = (id: string) =>
  JSON.stringify({
    id,
    name: id,
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'A server of the company.',
    category: 'data',
    connection: { type: 'http', url: server.url },
  });
const souk = (...args: string[]) => runToEnd(['apps/broker/src/operator/souk.ts', ...args], { DATA_DIR: dataDir });
const shop = async () => {
  const body: unknown = await (await fetch(`${product.publicUrl}/mcp/capabilities`)).json();
  return getCapabilities.answer.parse(body).servers.map(({ serverId }) => serverId);
};

test('an operator deploys a server on a private address by command, a client calls it, and the operator undeploys it, all without a restart', async () => {
  const { stdout: token } = await souk('token', 'create', '--email', 'ann@souk.test', '--name', 'laptop');
  const client = await connectLegacy(`${product.publicUrl}/mcp`, token.trim());
  const notices: string[] = [];
  client.onNotice((method) => notices.push(method));
  expect(await shop()).toEqual(['shelf']);
  const file = join(dataDir, 'stock.json');
  await writeFile(file, manifest('stock'));
  const deployed = await souk('manifest', 'deploy', file);
  expect(deployed).toMatchObject({ code: 0, stdout: expect.stringContaining('  stock__echo\n') });
  expect(await shop()).toEqual(['shelf', 'stock']);
  await waitUntil('the client to be notified', () => notices.includes('notifications/tools/list_changed'));
  const call = () => client.callTool({ name: 'stock__echo', arguments: { text: 'hi' } });
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
  notices.length = 0;
  expect(await souk('manifest', 'undeploy', 'stock')).toMatchObject({ code: 0, stdout: 'Undeployed stock 1.0.0.\n' });
  await waitUntil('the client to be notified', () => notices.includes('notifications/tools/list_changed'));
  expect(await call()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^Stock is no longer offered here/i) }],
    _meta: { 'souk/code': 'undeployed' },
  });
  expect(await shop()).toEqual(['shelf']);
  await client.close();
});

test('if no broker runs the commands work on the database, and the next start follows them, not the files', async () => {
  await product.kill('SIGTERM');
  expect((await souk('manifest', 'undeploy', 'shelf')).stdout).toBe('Undeployed shelf 1.0.0.\n');
  const deployed = await souk('manifest', 'deploy', 'stock');
  expect(deployed.stdout).toContain('No broker is running');
  const listed = await souk('manifest', 'list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject({
    running: false,
    servers: [
      { id: 'shelf', last: '1.0.0' },
      { id: 'stock', deployed: '1.0.0' },
    ],
  });
  expect((await souk('manifest', 'list')).stdout).toContain(
    'No broker is running: each status is what the last one saw.',
  );
  product = await start();
  expect(await shop()).toEqual(['stock']);
  expect((await souk('manifest', 'list')).stdout).not.toContain('No broker');
});
