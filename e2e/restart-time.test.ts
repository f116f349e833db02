import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test('after kill -9 the product is ready again within 10 s', async () => {
  await product.kill('SIGKILL');
  product = await startProduct({ dataDir });
  expect(product.readyMs).toBeLessThan(10_000);
});
