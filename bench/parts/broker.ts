// The broker itself, composed as in production: createApp on the embedded database or on a PostgreSQL of its own, with
// the benchmark's upstreams deployed and nothing else.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type App } from '../../apps/broker/src/app.ts';
import { paths } from '../../apps/broker/src/paths.ts';
import { readConfig } from '../../apps/broker/src/platform/config.ts';
import { createLog } from '../../apps/broker/src/platform/log.ts';
import { deployManifest } from '../../apps/broker/src/testing/deploy-manifest.ts';
import { findPostgresBinaries } from '../../apps/broker/src/testing/postgres-binaries.ts';
import { startPostgresCluster } from '../../apps/broker/src/testing/postgres-cluster.ts';
import { ScriptedBrowser } from '../../apps/broker/src/testing/scripted-browser.ts';
import type { DatabaseKind } from '../gateway-options.ts';
import { servePart, type Serving } from '../serve-part.ts';

export type BrokerInput = {
  database: DatabaseKind;
  /** Server id -> origin of its MCP server. */
  upstreams: Record<string, string>;
  people: number;
};

export type BrokerReady = {
  origin: string;
  /** One personal access token for each person. */
  personalTokens: string[];
  /** What the first person's client got by signing in (OAuth), for /mcp. */
  accessToken: string;
  /** Version and durability of the database, as it says itself. */
  database: Record<string, string>;
};

/** Rows of usage in the database, by outcome. */
export type BrokerFinal = { usageRows: Record<string, number> };

/** Nothing but the benchmark's upstreams is deployed: other services would be asked in the background. */
const emptyCatalogue = join(import.meta.dirname, '../../apps/broker/src/testing/empty-catalogue');

await servePart(async (input: BrokerInput) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-bench-'));
  const cluster = input.database === 'postgres' ? await startCluster() : undefined;
  const cleanUp = async () => {
    await cluster?.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const broker = await serveBroker(input, dataDir, cluster?.url);
    return {
      ready: broker.ready,
      async stop() {
        const final = await broker.stop();
        await cleanUp();
        return final;
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
});

async function serveBroker(
  { database, upstreams, people }: BrokerInput,
  dataDir: string,
  databaseUrl: string | undefined,
): Promise<Serving<BrokerReady, BrokerFinal>> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const config = readConfig({
    PORT: String(port),
    PUBLIC_URL: origin,
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64url'),
    MCP_CALLS_PER_MINUTE_TOKEN: '100000000',
    MCP_CALLS_PER_MINUTE_USER: '100000000',
    MCP_REQUESTS_PER_MINUTE_TOKEN: '100000000',
    // the cluster is made for tests, which need no durability: here a commit waits as it does in production
    ...(databaseUrl !== undefined && { DATABASE_URL: `${databaseUrl}?options=-c%20synchronous_commit%3Don` }),
  });
  const app = await createApp({
    config,
    log: createLog(config.logLevel, process.stderr),
    paths: { ...paths, catalogue: emptyCatalogue },
    allowAddresses: Object.values(upstreams).map((upstream) => new URL(upstream).host),
  });
  await app.start();
  for (const [id, upstream] of Object.entries(upstreams)) {
    await deployManifest(app, { id, connection: { type: 'http', url: `${upstream}/mcp` }, maxInFlight: 1024 });
  }
  const emails = Array.from({ length: people }, (_, index) => `bench-${index}@souk.test`);
  const personal = emails.map((email) => app.identity.createPersonalToken({ email, name: 'benchmark' }));
  const client = await new ScriptedBrowser(origin).signInMcpClient({ email: 'bench-0@souk.test' });
  return {
    ready: {
      origin,
      personalTokens: (await Promise.all(personal)).map(({ token }) => token),
      accessToken: client.accessToken,
      database: await describeDatabase(app, database),
    },
    async stop() {
      await app.usage.flush();
      const { rows } = await app.db.query<{ outcome: string; calls: number }>(
        'select outcome, count(*)::int as calls from usage_events group by outcome',
      );
      await app.stop();
      return { usageRows: Object.fromEntries(rows.map(({ outcome, calls }) => [outcome, calls])) };
    },
  };
}

/** On this process's core, since it is its child. */
async function startCluster() {
  const binaries = findPostgresBinaries();
  if (!binaries) throw new Error('there is no PostgreSQL here');
  return startPostgresCluster(binaries);
}

async function describeDatabase({ db }: App, kind: DatabaseKind): Promise<Record<string, string>> {
  const names = ['server_version', 'fsync', 'synchronous_commit'];
  const { rows } = await db.query<{ name: string; setting: string }>(
    'select name, current_setting(name) as setting from unnest($1::text[]) as name',
    [names],
  );
  return { kind, ...Object.fromEntries(rows.map(({ name, setting }) => [name, setting])) };
}

/** PUBLIC_URL must be known before the broker listens. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
