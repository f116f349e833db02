import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectModern } from '../../apps/broker/src/testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '../../apps/broker/src/testing/servers/mcp-fixture.ts';
import { startMcpRegistry, type McpRegistry } from '../../apps/broker/src/testing/servers/mcp-registry.ts';
import { startPackageRegistry } from '../../apps/broker/src/testing/servers/package-registry.ts';
import { runToEnd, startProduct, type Product } from '../product.ts';
import { test as base } from './product-test.ts';

/**
 * A shop without servers, and the sources that it can import: an MCP server, a registry, a package and its allow-list
 * entry.
 */
export type ImportShop = {
  product: Product;
  fixture: HttpFixture;
  registry: McpRegistry;
  souk(...args: string[]): ReturnType<typeof runToEnd>;
  /** Calls a tool like the client of a user. */
  callTool(tool: string): Promise<unknown>;
};

/** The product of the other journeys acts as a registry for this shop. */
export const test = base.extend<object, { shop: ImportShop }>({
  shop: [
    async ({ product }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'souk-import-'));
      const allowlist = join(folder, 'allowlist.json');
      await writeFile(allowlist, JSON.stringify({ small: { npm: '@souk-test/small@1.0.0' } }));
      const [fixture, packages, registry] = [
        await startHttpFixture('both'),
        await startPackageRegistry(folder),
        await startMcpRegistry(),
      ];
      const allowed = [
        fixture.address,
        registry.address,
        ...[packages.url, product.publicUrl].map((url) => new URL(url).host),
      ];
      const own = await startProduct({
        env: {
          BUNDLED_CATALOGUE: 'off',
          STDIO_ALLOWLIST: allowlist,
          NPM_CONFIG_REGISTRY: packages.url,
          UPSTREAM_ALLOW_ADDRESSES: allowed.join(','),
          UPSTREAM_HEADER_WEIR__AUTHORIZATION: 'Bearer of-the-operator',
          SIGN_IN_PER_MINUTE: '1000',
        },
      });
      const souk = (...args: string[]) =>
        runToEnd(['apps/broker/src/operator/souk.ts', ...args], { DATA_DIR: own.dataDir });
      await use({
        product: own,
        fixture,
        registry,
        souk,
        async callTool(tool) {
          const { stdout } = await souk('token', 'create', '--email', 'ann@souk.test', '--name', `of ${tool}`);
          const client = await connectModern(`${own.publicUrl}/mcp`, stdout.trim());
          try {
            return await client.callTool({ name: tool, arguments: { text: 'imported' } });
          } finally {
            await client.close();
          }
        },
      });
      await own.kill('SIGTERM');
      for (const part of [fixture, packages, registry]) await part.close();
      for (const path of [folder, own.dataDir]) await rm(path, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 150_000 },
  ],
  baseURL: async ({ shop }, use) => use(shop.product.publicUrl),
});
