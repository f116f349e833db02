import { randomBytes } from 'node:crypto';
import { createGateway } from '../apps/broker/src/features/gateway/index.ts';
import { systemClock } from '../apps/broker/src/platform/clock.ts';
import { createKeepAlive } from '../apps/broker/src/platform/http/connections/keep-alive.ts';
import { createRouter } from '../apps/broker/src/platform/http/router.ts';
import { buildServer } from '../apps/broker/src/platform/http/server.ts';
import { createUnreadAnswers } from '../apps/broker/src/platform/http/connections/unread-answers.ts';
import { createIds } from '../apps/broker/src/platform/ids.ts';
import { version } from '../apps/broker/src/version.ts';
import type { Broker } from './broker.ts';

export type OpenGateway = { url(serverId: string): string; stop(): Promise<void> };

/**
 * Starts a second gateway from the broker's parts that treats every request as one user's, because the official suite
 * sends most requests without a token. The product has no such setting; this exists only here.
 */
export async function startOpenGateway({ app, log, configBeside }: Broker): Promise<OpenGateway> {
  const { token } = await app.identity.createPersonalToken({ email: 'conformance@souk.test', name: 'conformance' });
  const config = await configBeside();
  const ids = createIds(systemClock);
  const gateway = await createGateway({
    ...app,
    config,
    identity: {
      ...app.identity,
      authenticateMcp: () => app.identity.authenticateMcp(`Bearer ${token}`, `${config.publicUrl}/mcp`),
    },
    pool: app.upstreams.pool,
    billing: app.billing,
    preferences: app.upstreams.preferences,
    personalTools: app.upstreams.personalTools,
    signIn: app.upstreams.signIn,
    formerServer: async () => undefined,
    keepAlive: createKeepAlive(),
    unread: createUnreadAnswers(),
    tracing: undefined,
    db: app.db,
    stateKey: randomBytes(32),
    version,
    clock: systemClock,
    ids,
    log,
  });
  const server = await buildServer({ config, ids, log, readiness: async () => ({ ready: true }) });
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
