// The product with one more service, whose tools depend on the person's account there, as those of GitHub or Google Drive
// do: its manifest names no tools and no client, and its authorization server registers nobody. It names the
// authorization server that the parent sends.
import { createApp } from '../apps/broker/src/app.ts';
import { buildWeb } from '../apps/broker/src/build-web.ts';
import { startOAuthFixture } from '../apps/broker/src/features/upstreams/sign-in/testing/oauth-fixture.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { deployManifest } from '../apps/broker/src/testing/deploy-manifest.ts';
import { join } from 'node:path';

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
  allowAddresses: [files.address, others.address],
  paths: { ...paths, catalogue: join(import.meta.dirname, '../apps/broker/src/testing/empty-catalogue') },
});
await app.start();
await deployManifest(app, {
  id: 'files',
  name: 'Files',
  description: 'Search and read your files.',
  connection: { type: 'http', url: files.url },
  auth: { type: 'oauth' },
});
process.on('message', (issuer) => {
  files.mischief.resourceMetadata = (honest) => ({ ...honest, authorization_servers: [issuer] });
  process.send?.('moved');
});
process.once('disconnect', () => {
  void app
    .stop()
    .then(() => Promise.all([files.close(), others.close()]))
    .then(() => process.exit(0));
});
process.send?.({ publicUrl: config.publicUrl, issuer: files.origin, others: others.origin });
