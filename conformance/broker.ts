import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../apps/broker/src/app.ts';
import type { App } from '../apps/broker/src/app-types.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { readConfig, type Config } from '../apps/broker/src/platform/config.ts';
import { createLog, type Log } from '../apps/broker/src/platform/log.ts';
import { freePort } from '../e2e/product.ts';

/** Broker that all legs of a run share. */
export type Broker = {
  app: App;
  log: Log;
  /** Configuration of the broker. `configBeside` returns the same with another port, for further servers. */
  config: Config;
  configBeside(): Promise<Config>;
  /** Secrets of clients that the operator registered at upstreams, read at each use. */
  upstreamSecrets: Map<string, string>;
  allowAddresses: readonly string[];
  stop(): Promise<void>;
};

/** Addresses of this machine: the suite's servers listen on ports that are not known in advance. */
const thisMachine = ['127.0.0.0/8', '::1/128'];

/** @param addresses host:port of other allowed servers */
export async function startBroker(addresses: readonly string[]): Promise<Broker> {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-conformance-'));
  const log = createLog(process.env['LOG_LEVEL'] ?? 'silent');
  const upstreamSecrets = new Map<string, string>();
  const environment = {
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64url'),
    MCP_CALLS_PER_MINUTE_TOKEN: '100000',
    MCP_CALLS_PER_MINUTE_USER: '100000',
    MCP_REQUESTS_PER_MINUTE_TOKEN: '100000',
    SIGN_IN_PER_MINUTE: '1000',
    // the suite checks metadata documents, which are off by default at a loopback address
    CLIENT_DOCUMENTS: 'on',
    // no health checks: the suite counts requests
    HEALTH_INTERVAL_MS: '600000',
  };
  const configOnFreePort = async (): Promise<Config> => ({
    ...readConfig({ ...environment, PORT: String(await freePort()) }),
    upstreamSecrets,
  });
  const config = await configOnFreePort();
  const allowAddresses = [...thisMachine, ...addresses];
  const app = await createApp({
    config,
    log,
    paths: { ...paths, catalogue: join(import.meta.dirname, '../apps/broker/src/testing/empty-catalogue') },
    allowAddresses,
  });
  await app.start();
  return {
    app,
    log,
    config,
    configBeside: configOnFreePort,
    upstreamSecrets,
    allowAddresses,
    async stop() {
      await app.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
