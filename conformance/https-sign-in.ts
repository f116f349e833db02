import { createUpstreams, mountUpstreamSignInRoutes } from '../apps/broker/src/features/upstreams/index.ts';
import { readInstallation } from '../apps/broker/src/installation.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { systemClock } from '../apps/broker/src/platform/clock.ts';
import { deriveKey, readMasterKey } from '../apps/broker/src/platform/crypto/master-key.ts';
import { createVault } from '../apps/broker/src/platform/crypto/vault.ts';
import { createRouter } from '../apps/broker/src/platform/http/router.ts';
import { buildServer } from '../apps/broker/src/platform/http/server.ts';
import { direct } from '../apps/broker/src/platform/http/outgoing/outgoing.ts';
import { createUnreadAnswers } from '../apps/broker/src/platform/http/connections/unread-answers.ts';
import { createIds } from '../apps/broker/src/platform/ids.ts';
import type { Broker } from './broker.ts';

/** Server for users' sign-ins: its public URL, and the address where it listens. */
export type SignInSide = { publicUrl: string; address: string };

/** Host at which the suite requires a metadata document. */
const publicUrl = 'https://conformance-test.local';

/**
 * Starts a second instance of the broker's sign-ins over the same database, configured for https: only with https does
 * our metadata document identify us. There is no TLS proxy here, so requests go to `address`.
 */
export async function startHttpsSignIn(broker: Broker): Promise<SignInSide & { stop(): Promise<void> }> {
  const { app, log, allowAddresses } = broker;
  const config = await broker.configBeside();
  const ids = createIds(systemClock);
  const masterKey = readMasterKey(config);
  const upstreams = await createUpstreams({
    ...app,
    unread: createUnreadAnswers(),
    ...readInstallation(config, paths),
    config: { ...config, publicUrl },
    vault: createVault(masterKey),
    subjectKey: deriveKey(masterKey, 'service-subject'),
    allowAddresses,
    outgoing: direct,
    isUsed: () => true,
    clock: systemClock,
    ids,
    log,
  });
  const server = await buildServer({ config, ids, log, readiness: async () => ({ ready: true }) });
  mountUpstreamSignInRoutes(createRouter(server, app.identity.guard), {
    ...upstreams,
    catalogue: app.catalogue,
    config: { ...config, publicUrl },
  });
  await server.listen({ port: config.port, host: config.host });
  return {
    publicUrl,
    address: config.publicUrl,
    async stop() {
      await server.close();
      await upstreams.stop();
    },
  };
}
