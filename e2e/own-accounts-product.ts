// The product with two more services that each need the user's own account, unlike all bundled services. The first takes
// secrets of each user in headers. The tools of the second depend on the account, as those of GitHub or Google Drive do: its
// manifest names no tools and no client, and its authorization server registers no clients. Their local addresses are allowed
// here, which no variable of the product can do. The message `headers` is answered with the headers of the last call of the
// first service; any other message names the authorization server that the second service refers to from now on.
import { join } from 'node:path';
import { createApp } from '../apps/broker/src/app.ts';
import { buildWeb } from '../apps/broker/src/web-app/build-web.ts';
import { startOAuthFixture } from '../apps/broker/src/features/upstreams/sign-in/testing/oauth-fixture.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { deployManifest } from '../apps/broker/src/testing/deploy-manifest.ts';
import { startHttpFixture } from '../apps/broker/src/testing/servers/mcp-fixture.ts';

const shop = await startHttpFixture();
const files = await startOAuthFixture({ clients: { registered: 'its-secret' } });
files.mischief.serverMetadata = (honest) => ({
  ...honest,
  registration_endpoint: undefined,
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
});
const others = await startOAuthFixture();
const config = readConfig({
  ...process.env,
  LOG_LEVEL: 'fatal',
  UPSTREAM_CLIENT_ID_FILES: 'registered',
  UPSTREAM_CLIENT_SECRET_FILES: 'its-secret',
});
const app = await createApp({
  config,
  log: createLog(config.logLevel),
  webFolder: await buildWeb(),
  allowAddresses: [shop.address, files.address, others.address],
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
await deployManifest(app, {
  id: 'files',
  name: 'Files',
  description: 'Search and read your files.',
  connection: { type: 'http', url: files.url },
  auth: { type: 'oauth' },
});
process.on('message', (asked) => {
  if (asked === 'headers') {
    const call = shop.seen.requests.findLast(({ method }) => method === 'tools/call');
    return process.send?.({ headers: call?.headers ?? {} });
  }
  files.mischief.resourceMetadata = (honest) => ({ ...honest, authorization_servers: [asked] });
  return process.send?.('moved');
});
process.once('disconnect', () => {
  void app
    .stop()
    .then(() => Promise.all([shop.close(), files.close(), others.close()]))
    .then(() => process.exit(0));
});
process.send?.({ publicUrl: config.publicUrl, issuer: files.origin, others: others.origin });
