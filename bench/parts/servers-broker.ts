// A broker with very many servers on an existing database: the whole product, composed as in production. Its manifests come from
// a folder, like an operator's.
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { giveCredits } from '../../apps/broker/src/testing/people/grant-credits.ts';
import type { App } from '../../apps/broker/src/app-types.ts';
import { servePart } from '../serve-part.ts';
import { serveHttp } from './listen.ts';

export type ServersBrokerInput = {
  checkout: string;
  port: number;
  databaseUrl: string | undefined;
  dataDir: string;
  catalogueDir: string;
  masterKey: string;
  /** User to create a personal token for; undefined if there is one from an earlier start. */
  email: string | undefined;
};

export type ServersBrokerReady = {
  origin: string;
  /** Personal access token of a user with credits; undefined if none was requested. */
  token: string | undefined;
  /** Time from the start of the program until it answered requests. */
  readyMs: number;
  /** Address that returns an `AskedTime`. */
  askedAddress: string;
};

/** Time from when the broker answered requests until each server had been contacted once; null before that. */
export type AskedTime = { askedMs: number | null };

const credits = 1_000_000;

await servePart(async (input: ServersBrokerInput) => {
  const beganAt = performance.now();
  const { createApp, readConfig, createLog, limitMemory, paths } = await modulesOf(input.checkout);
  const origin = `http://127.0.0.1:${input.port}`;
  const config = readConfig({
    PORT: String(input.port),
    PUBLIC_URL: origin,
    DATA_DIR: input.dataDir,
    CATALOGUE_DIR: input.catalogueDir,
    BUNDLED_CATALOGUE: 'off',
    MASTER_KEY: input.masterKey,
    UPSTREAM_ALLOW_ADDRESSES: '127.0.0.0/8',
    MCP_CALLS_PER_MINUTE_TOKEN: '100000000',
    MCP_CALLS_PER_MINUTE_USER: '100000000',
    SIGN_IN_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
    ...(input.databaseUrl !== undefined && { DATABASE_URL: input.databaseUrl }),
  });
  limitMemory(config);
  const app = await createApp({ config, log: createLog(config.logLevel, process.stderr), paths });
  const starting = app.start();
  await once(app.server.server, 'listening');
  const readyAt = performance.now();
  const time: AskedTime = { askedMs: null };
  void app.serversAsked.then(() => (time.askedMs = performance.now() - readyAt));
  const asked = await serveHttp((_, response) => void response.end(JSON.stringify(time)));
  const token = input.email === undefined ? undefined : await createToken(app, input.email);
  return {
    ready: { origin, token, readyMs: readyAt - beganAt, askedAddress: asked.ready.origin },
    async stop() {
      await starting;
      await app.stop();
      await asked.stop();
      return {};
    },
  };
});

async function createToken(app: App, email: string): Promise<string> {
  const { token } = await app.identity.createPersonalToken({ email, name: 'benchmark' });
  await giveCredits(app, email, credits);
  return token;
}

/** Loads modules of a checkout. Another checkout's have the same names, and types similar enough for this use. */
async function modulesOf(checkout: string) {
  const load = (file: string) => import(pathToFileURL(join(checkout, 'apps/broker/src', file)).href);
  const [app, config, log, memory, paths] = await Promise.all(
    ['app.ts', 'platform/config.ts', 'platform/log.ts', 'limit-memory.ts', 'paths.ts'].map(load),
  );
  return {
    createApp: app.createApp as typeof import('../../apps/broker/src/app.ts').createApp,
    readConfig: config.readConfig as typeof import('../../apps/broker/src/platform/config.ts').readConfig,
    createLog: log.createLog as typeof import('../../apps/broker/src/platform/log.ts').createLog,
    limitMemory: memory.limitMemory as typeof import('../../apps/broker/src/limit-memory.ts').limitMemory,
    paths: paths.paths as typeof import('../../apps/broker/src/paths.ts').paths,
  };
}
