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
import { servePart } from '../serve-part.ts';

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

await servePart(async ({ database, upstreams, people }: BrokerInput) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-bench-'));
  const cluster = database === 'postgres' ? await startCluster() : undefined;
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const config = readConfig({
    PORT: String(port),
    PUBLIC_URL: origin,
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64url'),
    MCP_CALLS_PER_MINUTE_TOKEN: '100000000',
    MCP_CALLS_PER_MINUTE_USER: '100000000',
    ...(cluster && { DATABASE_URL: `${cluster.url}?options=-c%20synchronous_commit%3Don` }),
  });
  const empty = join(import.meta.dirname, '../../apps/broker/src/testing/empty-catalogue');
  const app = await createApp({
    config,
    log: createLog(config.logLevel, process.stderr),
    paths: { ...paths, catalogue: empty },
    allowAddresses: Object.values(upstreams).map((upstream) => new URL(upstream).host),
  });
  await app.start();
  for (const [id, upstream] of Object.entries(upstreams)) {
    await deployManifest(app, { id, connection: { type: 'http', url: `${upstream}/mcp` }, maxInFlight: 1024 });
  }
  const tokens = Array.from({ length: people }, (_, index) => index).map(async (index) => {
    const email = `bench-${index}@souk.test`;
    return (await app.identity.createPersonalToken({ email, name: 'benchmark' })).token;
  });
  const ready: BrokerReady = {
    origin,
    personalTokens: await Promise.all(tokens),
    accessToken: (await new ScriptedBrowser(origin).signInMcpClient({ email: 'bench-0@souk.test' })).accessToken,
    database: await describeDatabase(app, database),
  };
  return {
    ready,
    async stop(): Promise<BrokerFinal> {
      await app.usage.flush();
      const { rows } = await app.db.query<{ outcome: string; calls: number }>(
        'select outcome, count(*)::int as calls from usage_events group by outcome',
      );
      await app.stop();
      await cluster?.stop();
      await rm(dataDir, { recursive: true, force: true });
      return { usageRows: Object.fromEntries(rows.map(({ outcome, calls }) => [outcome, calls])) };
    },
  };
});

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
