// The broker, composed as in production: createApp on the embedded database or on its own PostgreSQL, with only the
// benchmark's upstreams deployed.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../apps/broker/src/app.ts';
import type { App } from '../../apps/broker/src/app-types.ts';
import { checkLedger } from '../../apps/broker/src/features/billing/index.ts';
import { limitMemory } from '../../apps/broker/src/limit-memory.ts';
import { paths } from '../../apps/broker/src/paths.ts';
import { readConfig } from '../../apps/broker/src/platform/config.ts';
import { createLog } from '../../apps/broker/src/platform/log.ts';
import { deployManifest } from '../../apps/broker/src/testing/deploy-manifest.ts';
import { freePort } from '../../apps/broker/src/testing/network/free-port.ts';
import { giveCredits } from '../../apps/broker/src/testing/people/grant-credits.ts';
import { findPostgresBinaries } from '../../apps/broker/src/testing/databases/postgres-binaries.ts';
import { startPostgresCluster } from '../../apps/broker/src/testing/databases/postgres-cluster.ts';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import type { DatabaseKind } from '../gateway-options.ts';
import { servePart, type Serving } from '../serve-part.ts';
import { durable } from './with-database.ts';
import { watchMemory, type MemoryAtPeak } from './memory-at-peak.ts';

export type BrokerInput = {
  database: DatabaseKind;
  /** Server id -> origin of its MCP server. */
  upstreams: Record<string, string>;
  people: number;
  /** Sample the memory of this process. */
  memory: boolean;
  /** Another broker whose database and setup this one shares. */
  beside?: Shared | undefined;
  /** Receiver of traces and figures; undefined: none. */
  collectorUrl?: string | undefined;
};

/** Settings that brokers on one database share. */
export type Shared = { databaseUrl: string; masterKey: string };

export type BrokerReady = {
  origin: string;
  /** One personal access token per user. */
  personalTokens: string[];
  /** OAuth access token of the first user's client, for /mcp. */
  accessToken: string;
  /** Settings for another broker; undefined for the embedded database, which allows one broker. */
  shared?: Shared | undefined;
  /** Version and durability settings that the database reports. */
  database: Record<string, string>;
};

/** Number of usage rows by outcome, and the peak memory if it was sampled. */
export type BrokerFinal = {
  usageRows: Record<string, number>;
  memory: MemoryAtPeak | undefined;
  /** Charges and faults of the ledger. Absent for a checkout that charges nothing. */
  ledger?: { charged: number; faults: number } | undefined;
};

/** Ending of the id of servers whose calls cost a credit. */
const paidEnding = 'paid';
const givenCredits = 1_000_000_000;

/** Only the benchmark's upstreams are deployed: the broker would check other services in the background. */
const emptyCatalogue = join(import.meta.dirname, '../../apps/broker/src/testing/empty-catalogue');

await servePart(async (input: BrokerInput) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-bench-'));
  const cluster = input.database === 'postgres' && !input.beside ? await startCluster() : undefined;
  const cleanUp = async () => {
    await cluster?.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const databaseUrl = input.beside?.databaseUrl ?? cluster?.url;
    const broker = await serveBroker(input, dataDir, databaseUrl);
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
  { database, upstreams, people, memory, beside, collectorUrl }: BrokerInput,
  dataDir: string,
  databaseUrl: string | undefined,
): Promise<Serving<BrokerReady, BrokerFinal>> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const masterKey = beside?.masterKey ?? randomBytes(32).toString('base64url');
  const config = readConfig({
    PORT: String(port),
    PUBLIC_URL: origin,
    DATA_DIR: dataDir,
    MASTER_KEY: masterKey,
    // many clients call concurrently for one user
    MCP_IN_FLIGHT_USER: '1000',
    MCP_CALLS_PER_MINUTE_TOKEN: '100000000',
    MCP_CALLS_PER_MINUTE_USER: '100000000',
    MCP_REQUESTS_PER_MINUTE_TOKEN: '100000000',
    ...(collectorUrl !== undefined && { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl }),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl + durable }),
  });
  limitMemory(config);
  const app = await createApp({
    config,
    log: createLog(config.logLevel, process.stderr),
    paths: { ...paths, catalogue: emptyCatalogue },
    allowAddresses: Object.values(upstreams).map((upstream) => new URL(upstream).host),
  });
  await app.start();
  if (beside) {
    await app.serversAsked;
    const ready = { origin, personalTokens: [], accessToken: '', database: {} };
    return { ready, stop: () => app.stop().then(() => ({ usageRows: {}, memory: undefined })) };
  }
  for (const [id, upstream] of Object.entries(upstreams)) {
    const manifest = { id, connection: { type: 'http', url: `${upstream}/mcp` }, maxInFlight: 1024 };
    await deployManifest(app, manifest);
    const billing = { tier: 'T0', toolCosts: { echo: 1 } };
    await deployManifest(app, { ...manifest, id: `${id}${paidEnding}`, billing });
  }
  const emails = Array.from({ length: people }, (_, index) => `bench-${index}@souk.test`);
  const personal = emails.map((email) => app.identity.createPersonalToken({ email, name: 'benchmark' }));
  const tokens = await Promise.all(personal);
  for (const email of emails) await giveCredits(app, email, givenCredits);
  const client = await new ScriptedBrowser(origin).signInMcpClient({ email: 'bench-0@souk.test' });
  const memoryAtPeak = memory ? watchMemory() : undefined;
  return {
    ready: {
      origin,
      personalTokens: tokens.map(({ token }) => token),
      shared: databaseUrl === undefined ? undefined : { databaseUrl, masterKey },
      accessToken: client.accessToken,
      database: await describeDatabase(app, database),
    },
    async stop() {
      const figures = await readCalls(app);
      await app.stop();
      return { ...figures, memory: memoryAtPeak?.() };
    },
  };
}

async function readCalls({ billing, usage, db }: App): Promise<Pick<BrokerFinal, 'usageRows' | 'ledger'>> {
  await Promise.all([billing.ledger.flush(), usage.flush()]);
  const charges = await db.query<{ charged: number }>(
    `select coalesce(-sum(delta), 0)::bigint as charged from ledger_entries where contra = 'usage'`,
  );
  const faults = await checkLedger(db);
  const { rows } = await db.query<{ outcome: string; calls: number }>(
    'select outcome, sum(calls)::int as calls from usage_events group by outcome',
  );
  return {
    usageRows: Object.fromEntries(rows.map(({ outcome, calls }) => [outcome, calls])),
    ledger: { charged: Number(charges.rows[0]?.charged), faults: faults.length },
  };
}

/** Starts a cluster, which runs on this process's core as its child. */
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
