import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { readConfig } from '#platform/config.ts';
import type { Database } from '#platform/db/database.ts';
import { createLog } from '#platform/log.ts';
import { createApp } from '../app.ts';
import type { App, AppOptions } from '../app-types.ts';
import { migrations } from '../migrations.ts';
import { paths as bundledPaths, type Paths } from '../paths.ts';
import { openTestDatabase, temporaryRoot } from './databases/databases.ts';
import { freePort } from './network/free-port.ts';
import { offersWithoutWelcome } from './people/offers-without-welcome.ts';

export type TestApp = App & {
  publicUrl: string;
  dataDir: string;
  /** Returns everything that was logged, for canary tests. */
  logged(): string;
};

export type TestAppOptions = Omit<AppOptions, 'config' | 'log' | 'paths'> & {
  /** Database; by default a fresh embedded one. */
  db?: Database;
  env?: NodeJS.ProcessEnv;
  paths?: Partial<Paths>;
};

/** Environment for tests that count requests or set a server's status: no health check interferes. */
export const withoutHealthChecks = { HEALTH_INTERVAL_MS: '600000' };

/**
 * Starts the broker itself on a free port of this machine, with its own database and folder. By default without any
 * service: `paths.catalogue` adds manifests.
 */
export async function startTestApp({ env, paths, ...options }: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = await mkdtemp(join(temporaryRoot(), 'app-'));
  const port = await freePort();
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const config = readConfig({
    PORT: String(port),
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64url'),
    SIGN_IN_PER_MINUTE: '1000',
    MCP_REQUESTS_PER_MINUTE_TOKEN: '100000',
    API_REQUESTS_PER_MINUTE_USER: '100000000',
    API_REQUESTS_PER_MINUTE_ADDRESS: '100000000',
    HEALTH_INTERVAL_MS: '1000',
    LOG_LEVEL: 'debug',
    ...env,
  });
  const app = await createApp({
    ...options,
    config,
    log: createLog(config.logLevel, destination),
    db: options.db ?? (await openTestDatabase(migrations)),
    paths: {
      ...bundledPaths,
      catalogue: join(import.meta.dirname, 'empty-catalogue'),
      offers: await offersWithoutWelcome(dataDir),
      ...paths,
    },
  });
  await app.start();
  return {
    ...app,
    publicUrl: config.publicUrl,
    dataDir,
    logged: () => lines.join(''),
    async stop(whenSettled) {
      await app.stop(whenSettled);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
