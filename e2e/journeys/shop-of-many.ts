import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { productFlags } from '../../scripts/product-flags.ts';
import { freePort, programEnv } from '../product.ts';

/** Starts a shop with 5,000 servers of 10 tools each, for visitors only. */
export async function startShopOfMany(): Promise<{ url: string; stop(): Promise<void> }> {
  const port = String(await freePort());
  const program = ['apps/broker/src/testing/shop-of-many.ts', port, '5000'];
  const shop = spawn(process.execPath, [...productFlags, ...program], {
    cwd: join(import.meta.dirname, '../..'),
    env: programEnv(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(shop.stdout, 'data');
  return {
    url: `http://localhost:${port}`,
    async stop() {
      shop.kill('SIGTERM');
      await once(shop, 'exit');
    },
  };
}
