import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../apps/broker/src/app.ts';
import { createGateway, freeForAll } from '../apps/broker/src/features/gateway/index.ts';
import { systemClock } from '../apps/broker/src/platform/clock.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import { createRouter } from '../apps/broker/src/platform/http/router.ts';
import { buildServer } from '../apps/broker/src/platform/http/server.ts';
import { createIds } from '../apps/broker/src/platform/ids.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { deployManifest } from '../apps/broker/src/testing/deploy-manifest.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { version } from '../apps/broker/src/version.ts';

export type OpenGateway = { url(serverId: string): string; stop(): Promise<void> };

/**
 * The broker's own parts with a second gateway in front that lets everybody in as one person: the official suite brings
 * no token to most of its requests. No setting of the product does this; it exists in this file alone.
 *
 * @param upstreams id and address of servers on this machine
 */
export async function startOpenGateway(
  upstreams: readonly { id: string; url: string; address: string }[],
): Promise<OpenGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-conformance-'));
  const log = createLog(process.env['LOG_LEVEL'] ?? 'silent');
  const environment = {
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64url'),
    MCP_CALLS_PER_MINUTE_TOKEN: '100000',
    MCP_CALLS_PER_MINUTE_USER: '100000',
  };
  const app = await createApp({
    config: readConfig({ ...environment, PORT: String(await findFreePort()) }),
    log,
    paths: { ...paths, catalogue: join(import.meta.dirname, '../apps/broker/src/testing/empty-catalogue') },
    allowAddresses: upstreams.map(({ address }) => address),
  });
  await app.start();
  for (const { id, url } of upstreams) await deployManifest(app, { id, connection: { type: 'http', url } });

  const { token } = await app.identity.createPersonalToken({ email: 'conformance@souk.test', name: 'conformance' });
  const config = readConfig({ ...environment, PORT: String(await findFreePort()) });
  const ids = createIds(systemClock);
  const gateway = createGateway({
    ...app,
    config,
    identity: {
      ...app.identity,
      authenticateMcp: () => app.identity.authenticateMcp(`Bearer ${token}`, `${config.publicUrl}/mcp`),
    },
    pool: app.connections.pool,
    entitled: freeForAll,
    preferences: app.connections.preferences,
    offers: app.connections.offers,
    signIn: app.connections.signIn,
    query: app.db.query,
    stateKey: randomBytes(32),
    version,
    clock: systemClock,
    ids,
    log,
  });
  const server = await buildServer({ config, ids, log, isReady: async () => true });
  await gateway.mountRoutes(server, createRouter(server, app.identity.guard));
  await server.listen({ port: config.port, host: config.host });
  return {
    url: (serverId) => `${config.publicUrl}/s/${serverId}/mcp`,
    async stop() {
      await gateway.stop();
      await server.close();
      await app.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
