import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limitFigure } from '../apps/broker/src/testing/figures/limits.ts';
import { atFullSize, printFigure } from '../apps/broker/src/testing/figures/proof-size.ts';
import { newDataDir, startProduct, type Product } from './product.ts';

let dataDir: string;
let product: Product;
beforeAll(async () => {
  dataDir = await newDataDir();
  product = await startProduct({ dataDir });
});
afterAll(async () => {
  await product?.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

test('[I4] after kill -9 the product is ready again, within 5 s on an otherwise idle machine', async () => {
  const kills = atFullSize({ full: 20, short: 1 });
  const times: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await product.kill('SIGKILL');
    product = await startProduct({ dataDir });
    times.push(product.readyMs);
    expect(product.output()).toContain('is ready');
  }
  const seconds = times.toSorted((a, b) => a - b).map((ms) => (ms / 1000).toFixed(2));
  printFigure(`${kills} kills; ready after ${seconds.at(kills >> 1)} s (median), ${seconds.at(-1)} s (most)`);
  await limitFigure(5_000, 'ms', () => Math.max(...times), { scales: 'start' });
});
