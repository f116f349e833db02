// The product with one more service, which takes a secret of each user in a header, as no bundled service does. Its local
// address is allowed here; no variable of the product can do that.
import { join } from 'node:path';
import { createApp } from '../apps/broker/src/app.ts';
import { buildWeb } from '../apps/broker/src/build-web.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { deployManifest } from '../apps/broker/src/testing/deploy-manifest.ts';
import { startHttpFixture } from '../apps/broker/src/testing/mcp-fixture.ts';
import { paths } from '../apps/broker/src/paths.ts';

const config = readConfig({ ...process.env, LOG_LEVEL: 'fatal' });
const shop = await startHttpFixture();
const app = await createApp({
  config,
  log: createLog(config.logLevel),
  webFolder: await buildWeb(),
  allowAddresses: [shop.address],
  paths: { ...paths, catalogue: join(import.meta.dirname, '../apps/broker/src/testing/empty-catalogue') },
});
await app.start();
await deployManifest(app, {
  id: 'key-shop',
  name: 'Key Shop',
  slug: 'shop',
  connection: { type: 'http', url: shop.url },
  auth: {
    type: 'headers',
    headers: [
      { name: 'X-Shop-Key', from: 'user', description: 'Your key, from the settings of the shop.' },
      { name: 'X-Shop-Team', from: 'user' },
    ],
  },
});
process.on('message', () => {
  const call = shop.seen.requests.findLast(({ method }) => method === 'tools/call');
  process.send?.({ headers: call?.headers ?? {} });
});
process.once('disconnect', () => {
  void app
    .stop()
    .then(() => shop.close())
    .then(() => process.exit(0));
});
process.send?.({ publicUrl: config.publicUrl });
