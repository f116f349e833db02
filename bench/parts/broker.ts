// The broker, composed as in production: createApp on the embedded database or on its own PostgreSQL, with only the
// benchmark's upstreams deployed.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../apps/broker/src/app.ts';
import type { App } from '../../apps/broker/src/app-types.ts';
import { limitMemory } from '../../apps/broker/src/limit-memory.ts';
import { paths } from '../../apps/broker/src/paths.ts';
import { readConfig } from '../../apps/broker/src/platform/config.ts';
import { createLog } from '../../apps/broker/src/platform/log.ts';
import { deployManifest } from '../../apps/broker/src/testing/deploy-manifest.ts';
import { freePort } from '../../apps/broker/src/testing/free-port.ts';
import { findPostgresBinaries } from '../../apps/broker/src/testing/postgres-binaries.ts';
import { startPostgresCluster } from '../../apps/broker/src/testing/postgres-cluster.ts';
import { ScriptedBrowser } from '../../apps/broker/src/testing/scripted-browser.ts';
import type { DatabaseKind } from '../gateway-options.ts';
import { servePart, type Serving } from '../serve-part.ts';
import { watchMemory, type MemoryAtPeak } from './memory-at-peak.ts';

export type BrokerInput = {
  database: DatabaseKind;
  /** Server id -> origin of its MCP server. */
  upstreams: Record<string, string>;
  people: number;
  /** Sample the memory of this process. */
  memory: boolean;
};

export type BrokerReady = {
  origin: string;
  /** One personal access token for each person. */
  personalTokens: string[];
  /** The OAuth access token of the first user's client, for /mcp. */
  accessToken: string;
  /** Version and durability settings that the database reports. */
  database: Record<string, string>;
};

/** The number of usage rows by outcome, and the memory at its peak where it was sampled. */
export type BrokerFinal = { usageRows: Record<string, number>; memory: MemoryAtPeak | undefined };

/** Only the benchmark's upstreams are deployed: the broker would check other services in the background. */
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
  { database, upstreams, people, memory }: BrokerInput,
  dataDir: string,
  databaseUrl: string | undefined,
): Promise<Serving<BrokerReady, BrokerFinal>> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const config = readConfig({
    PORT: String(port),
    PUBLIC_URL: origin,
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64url'),
    MCP_CALLS_PER_MINUTE_TOKEN: '100000000',
    MCP_CALLS_PER_MINUTE_USER: '100000000',
    MCP_REQUESTS_PER_MINUTE_TOKEN: '100000000',
    // the cluster is configured for tests without durability; here a commit must wait as in production
    ...(databaseUrl !== undefined && { DATABASE_URL: `${databaseUrl}?options=-c%20synchronous_commit%3Don` }),
  });
  limitMemory(config);
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
  const memoryAtPeak = memory ? watchMemory() : undefined;
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
        'select outcome, sum(calls)::int as calls from usage_events group by outcome',
      );
      await app.stop();
      return {
        usageRows: Object.fromEntries(rows.map(({ outcome, calls }) => [outcome, calls])),
        memory: memoryAtPeak?.(),
      };
    },
  };
}

/** Runs on this process's core, because it is a child. */
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
