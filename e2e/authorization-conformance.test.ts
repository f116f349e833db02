import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAuthorizationSuite } from '../conformance/authorization.ts';
import { startProduct, type Product } from './product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.kill('SIGTERM'));

test('the official conformance suite accepts the authorization server: every check it scores, none skipped', async () => {
  const { checks, exitCode, output } = await runAuthorizationSuite(product.publicUrl);
  expect(
    checks.map(({ id, status, errorMessage }) => ({ id, status, errorMessage })),
    output,
  ).toEqual([
    { id: 'authorization-server-metadata', status: 'SUCCESS', errorMessage: undefined },
    { id: 'authorization-server-metadata-cimd', status: 'SUCCESS', errorMessage: undefined },
    { id: 'authorization-code-grant', status: 'SUCCESS', errorMessage: undefined },
  ]);
  expect(exitCode).toBe(0);
});
