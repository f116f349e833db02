import { createConnections, mountUpstreamSignInRoutes } from '../apps/broker/src/features/connections/index.ts';
import { readInstallation } from '../apps/broker/src/installation.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { systemClock } from '../apps/broker/src/platform/clock.ts';
import { deriveKey, readMasterKey } from '../apps/broker/src/platform/crypto/master-key.ts';
import { createVault } from '../apps/broker/src/platform/crypto/vault.ts';
import { createRouter } from '../apps/broker/src/platform/http/router.ts';
import { buildServer } from '../apps/broker/src/platform/http/server.ts';
import { createIds } from '../apps/broker/src/platform/ids.ts';
import type { Broker } from './broker.ts';

/** Where people's sign-ins are taken: under which address, and where that listens. */
export type SignInSide = { publicUrl: string; address: string };

/** The suite asks for a metadata document at this host. */
const publicUrl = 'https://conformance-test.local';

/**
 * The broker's sign-ins once more over the same database, as an installation has them that stands on https: there alone
 * we are a client by our metadata document. Nothing terminates TLS here, so requests come to `address`.
 */
export async function startHttpsSignIn(broker: Broker): Promise<SignInSide & { stop(): Promise<void> }> {
  const { app, log, allowAddresses } = broker;
  const config = await broker.configBeside();
  const ids = createIds(systemClock);
  const masterKey = readMasterKey(config);
  const connections = await createConnections({
    ...app,
    ...readInstallation(config, paths),
    config: { ...config, publicUrl },
    vault: createVault(masterKey),
    subjectKey: deriveKey(masterKey, 'service-subject'),
    allowAddresses,
    clock: systemClock,
    ids,
    log,
  });
  const server = await buildServer({ config, ids, log, isReady: async () => true });
  mountUpstreamSignInRoutes(createRouter(server, app.identity.guard), {
    ...connections,
    catalogue: app.catalogue,
    config: { ...config, publicUrl },
  });
  await server.listen({ port: config.port, host: config.host });
  return {
    publicUrl,
    address: config.publicUrl,
    async stop() {
      await server.close();
      await connections.stop();
    },
  };
}
