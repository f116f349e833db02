import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startProduct, type Product } from '../product.ts';
import { untilAllConnected } from '../until-all-connected.ts';
import type { Engine } from './engine.ts';
import { startFirefox } from './firefox.ts';
import { hasFirefox, hasWebkit } from './installed.ts';
import { createPerson } from './person.ts';
import { walk } from './walk.ts';
import { startWebkit } from './webkit.ts';

type Installation = { name: string; start: () => Promise<Engine>; isInstalled: boolean; packages: string };
const engines: Installation[] = [
  { name: 'Firefox', start: startFirefox, isInstalled: hasFirefox, packages: 'firefox-esr' },
  { name: 'WebKit', start: startWebkit, isInstalled: hasWebkit, packages: 'webkit2gtk-driver and xvfb' },
];
for (const { name, packages } of engines.filter(({ isInstalled }) => !isInstalled)) {
  process.stderr.write(`SKIPPED: ${name} is not installed (${packages}): that the product works in it is not proved\n`);
}

describe.skipIf(engines.every(({ isInstalled }) => !isInstalled))('the product', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ env: { SIGN_IN_PER_MINUTE: '1000' } });
    await untilAllConnected(product.publicUrl);
  });
  afterAll(async () => {
    await product?.kill('SIGTERM');
    if (product) await rm(product.dataDir, { recursive: true, force: true });
  });

  describe.concurrent('is used', () => {
    for (const { name, start, isInstalled } of engines) {
      test.skipIf(!isInstalled)(
        `in ${name}: signing in and staying signed in, switches, windows of sign-ins, fast and slow, buying, copying, a token, the palette`,
        async ({ expect }) => {
          const engine = await start();
          try {
            const walked = walk(createPerson(engine), product.publicUrl, `${name.toLowerCase()}@souk.test`);
            await expect(walked).resolves.toBeUndefined();
          } finally {
            await engine.close();
          }
        },
      );
    }
  });
});
