import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../../apps/broker/src/platform/log.ts';
import { startNginx } from '../../apps/broker/src/testing/network/nginx.ts';
import { startPgBouncer } from '../../apps/broker/src/testing/databases/pgbouncer.ts';
import { startPostgresPair, type PostgresPair } from '../../apps/broker/src/testing/databases/postgres-pair.ts';
import { waitUntil } from '../../apps/broker/src/testing/wait-until.ts';
import { freePort, newDataDir, runToEnd, startProduct, type Product } from '../product.ts';
import { startCountingServer, type CountingServer } from './counting-server.ts';

/** Price of a call of the tool `paid`. */
export const price = 3;
const credits = 10_000_000;

/** Brokers behind nginx. The database is a pair behind PgBouncer. */
export type Shop = {
  publicUrl: string;
  link: string;
  ports: readonly number[];
  tokens: readonly string[];
  server: CountingServer;
  database: PostgresPair;
  /** Stops a broker like a supervisor, and starts it again with the sources of this checkout. @returns its exit code */
  restart(broker: number): Promise<number | null>;
  signal(broker: number, signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Kills a broker and starts it again. */
  kill(broker: number): Promise<void>;
  /** Returns the status of each broker's /readyz, or an error. */
  readiness(): Promise<(number | string)[]>;
  nginxErrors(): Promise<string[]>;
  query<Row extends object>(statement: string): Promise<Row[]>;
  stop(): Promise<void>;
};

export type ShopParts = {
  drainGraceMs: number;
  proxyKeepAliveMs: number;
  /** Number of brokers, by default 3. */
  brokers?: number;
  /** Names of users. Each gets a token and credits. */
  people?: readonly string[];
  /** Sources that all brokers run at first: those of another version, or by default this checkout's. */
  before?: string | undefined;
  /** Manifests of further servers. */
  manifests?: readonly { id: string }[];
  /** Loopback addresses of those servers. */
  addresses?: readonly string[];
  env?: NodeJS.ProcessEnv;
  through?: readonly string[];
};

export async function startShop(binaries: string, parts: ShopParts): Promise<Shop> {
  const [server, database, folder] = await Promise.all([
    startCountingServer(),
    startPostgresPair(binaries),
    newDataDir(),
  ]);
  const bouncer = await startPgBouncer(database.url);
  const manifests = join(folder, 'manifests');
  await mkdir(manifests);
  for (const manifest of [countingManifest(server.url), ...(parts.manifests ?? [])])
    await writeFile(join(manifests, `${manifest.id}.json`), JSON.stringify(manifest));
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const env = {
    PUBLIC_URL: publicUrl,
    MASTER_KEY: randomBytes(32).toString('base64url'),
    DATABASE_URL: bouncer.url,
    DATABASE_LISTEN_URL: database.url,
    TRUST_PROXY: '127.0.0.1',
    CATALOGUE_DIR: manifests,
    BUNDLED_CATALOGUE: 'off',
    UPSTREAM_ALLOW_ADDRESSES: [server.address, ...(parts.addresses ?? [])].join(','),
    DRAIN_GRACE_MS: String(parts.drainGraceMs),
    PROXY_KEEP_ALIVE_MS: String(parts.proxyKeepAliveMs),
    LOG_LEVEL: 'fatal',
    MCP_CALLS_PER_MINUTE_TOKEN: '100000000',
    MCP_CALLS_PER_MINUTE_USER: '100000000',
    MCP_REQUESTS_PER_MINUTE_TOKEN: '100000000',
    ...parts.env,
  };
  const { ports, stop, ...brokers } = await startBrokers(folder, env, parts);
  const nginx = await startNginx(port, ports, `${parts.proxyKeepAliveMs}ms`);
  const own = { ...env, DATA_DIR: join(folder, 'broker-0') };
  return {
    publicUrl,
    link: `${publicUrl}/mcp`,
    ports,
    tokens: await createTokens(parts.people ?? ['ann', 'bea', 'carl', 'dora'], own),
    server,
    database,
    ...brokers,
    nginxErrors: nginx.errors,
    async query<Row extends object>(statement: string) {
      const db = await openDatabase({ databaseUrl: database.url, dataDir: folder, log: createLog('fatal') });
      try {
        return (await db.query<Row>(statement)).rows;
      } finally {
        await db.close();
      }
    },
    async stop() {
      await stop();
      await nginx.stop();
      await bouncer.stop();
      await database.stop();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Brokers = Pick<Shop, 'ports' | 'restart' | 'signal' | 'kill' | 'readiness' | 'stop'>;

/** Starts the brokers sequentially, each with its own data folder below `folder`. */
async function startBrokers(
  folder: string,
  env: NodeJS.ProcessEnv,
  { brokers: count = 3, before, through }: ShopParts,
): Promise<Brokers> {
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const start = (broker: number, checkout?: string) =>
    startProduct({
      dataDir: join(folder, `broker-${broker}`),
      port: ports[broker] ?? 0,
      env,
      ...(checkout !== undefined && { checkout }),
      ...(through && { through }),
    });
  const brokers: Product[] = [];
  for (const broker of ports.keys()) brokers.push(await start(broker, before));
  const of = (broker: number): Product => {
    const product = brokers[broker];
    if (!product) throw new Error(`there is no broker ${broker}`);
    return product;
  };
  const readyOf = (broker: number) =>
    fetch(`http://127.0.0.1:${ports[broker]}/readyz`, { signal: AbortSignal.timeout(3_000) }).then(
      ({ status }) => status,
      String,
    );
  const endAndStart = async (broker: number, signal: NodeJS.Signals) => {
    const code = await of(broker).kill(signal);
    brokers[broker] = await start(broker);
    await waitUntil(`broker ${broker} to be ready`, async () => (await readyOf(broker)) === 200);
    return code;
  };
  return {
    ports,
    restart: (broker) => endAndStart(broker, 'SIGTERM'),
    signal: (broker, signal) => void process.kill(of(broker).pid, signal),
    kill: async (broker) => void (await endAndStart(broker, 'SIGKILL')),
    readiness: () => Promise.all([...ports.keys()].map(readyOf)),
    stop: async () => void (await Promise.all(brokers.map(({ kill }) => kill('SIGKILL')))),
  };
}

/** Creates users with credits through the command line. @returns a personal token of each */
async function createTokens(people: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const souk = async (...args: string[]) => {
    const ran = await runToEnd(['apps/broker/src/operator/souk.ts', ...args], env);
    if (ran.code !== 0) throw new Error(ran.output);
    return ran.stdout.trim();
  };
  const tokens: string[] = [];
  for (const name of people) {
    const email = `${name}@souk.test`;
    tokens.push(await souk('token', 'create', '--email', email, '--name', 'load'));
    await souk('credits', 'set', '--email', email, '--credits', String(credits));
  }
  return tokens;
}

function countingManifest(url: string): { id: string } {
  const manifest = {
    id: 'counting',
    name: 'Counting',
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'Counts its calls.',
    category: 'data',
    connection: { type: 'http', url },
    billing: { tier: 'T0', toolCosts: { paid: price } },
    maxInFlight: 256,
  };
  return manifest;
}
