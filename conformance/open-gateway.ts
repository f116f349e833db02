import { randomBytes } from 'node:crypto';
import { createGateway, freeForAll } from '../apps/broker/src/features/gateway/index.ts';
import { systemClock } from '../apps/broker/src/platform/clock.ts';
import { createRouter } from '../apps/broker/src/platform/http/router.ts';
import { buildServer } from '../apps/broker/src/platform/http/server.ts';
import { createIds } from '../apps/broker/src/platform/ids.ts';
import { version } from '../apps/broker/src/version.ts';
import type { Broker } from './broker.ts';

export type OpenGateway = { url(serverId: string): string; stop(): Promise<void> };

/**
 * A second gateway beside the broker's own, of the same parts, that lets everybody in as one person: the official suite
 * brings no token to most of its requests. No setting of the product does this; it exists in this file alone.
 */
export async function startOpenGateway({ app, log, configBeside }: Broker): Promise<OpenGateway> {
  const { token } = await app.identity.createPersonalToken({ email: 'conformance@souk.test', name: 'conformance' });
  const config = await configBeside();
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
    },
  };
}
