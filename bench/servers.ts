import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../apps/broker/src/testing/network/free-port.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { startPostgresCluster } from '../apps/broker/src/testing/databases/postgres-cluster.ts';
import { startFlags } from '../scripts/product-flags.ts';
import { UsageError, type Bench } from './bench.ts';
import { pinSelf, planPinning } from './machine.ts';
import type { HttpReady } from './parts/listen.ts';
import type { AskedServers } from './parts/raw-upstream.ts';
import type { AskedTime, ServersBrokerInput, ServersBrokerReady } from './parts/servers-broker.ts';
import { useBroker, type Waits } from './parts/use-broker.ts';
import { cpuMsOf, residentMemoryMbOf } from './process-figures.ts';
import { startPart, type Part } from './start-part.ts';
import { serversSection, type Row } from './report/servers-page.ts';
import { writePerformance } from './report/performance-page.ts';
import { rounded } from './report/statistics.ts';

const ownCheckout = join(import.meta.dirname, '..');
const email = 'bench@souk.test';
/** Time limit for starts and stops, generous because even a very long one is a result. */
const patienceMs = 900_000;
const idleMs = 20_000;
/** Unused servers that the broker checks per second (upstreams/watch/check-times.ts). The idle time allows one check of each. */
const checksPerSecond = 50;
/** Minimum time of use during a start, for enough samples to compare. */
const shortestUseMs = 10_000;

/** Measures the cost of very many deployed servers: at a start, at rest, and for requests meanwhile. */
export const serversBench: Bench = {
  description: 'a start, rest and stop with very many deployed servers, and how long calls and sign-ins take meanwhile',
  usage:
    'npm run bench -- servers [--servers 50,400,1000,2500,5000] [--database postgres|pglite] [--patience 180] [--against FOLDER] [--profile FOLDER] [--write]',
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        servers: { type: 'string', default: '50,400,1000,2500,5000' },
        database: { type: 'string', default: 'postgres' },
        patience: { type: 'string', default: '180' },
        against: { type: 'string' },
        profile: { type: 'string' },
        write: { type: 'boolean', default: false },
      },
    });
    const counts = values.servers.split(',').map(Number);
    const patienceS = Number(values.patience);
    if (counts.some((count) => !Number.isInteger(count) || count < 2 || count > 60_000) || !(patienceS > 0))
      throw new UsageError('--servers takes whole numbers from 2 to 60000, and --patience seconds');
    const checkouts = [ownCheckout, ...(values.against === undefined ? [] : [resolve(values.against)])];
    const rows: Row[] = [];
    for (const count of counts) {
      for (const checkout of checkouts) {
        const row = await measured({ count, checkout, database: values.database, patienceS, profile: values.profile });
        rows.push(row);
        print([row]);
      }
    }
    print(rows);
    if (values.write)
      writePerformance(
        'Servers',
        'npm run bench -- servers --against FOLDER --write',
        serversSection(rows, values.database),
      );
    console.log(JSON.stringify({ bench: 'servers', rows }));
    return rows.every((row) => row.checkout !== 'this' || row['rest failed'] === 0) ? 0 : 1;
  },
};

/** Prints the figures of the broker, then waiting times at rest and during the start, in milliseconds. */
function print(rows: readonly Row[]): void {
  const part = (keep: (name: string) => boolean) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => keep(name) || name === 'servers')));
  console.table(part((name) => !name.includes(' ')));
  console.table(part((name) => name.startsWith('rest ')));
  console.table(part((name) => name.startsWith('start ')));
}

type Case = { count: number; checkout: string; database: string; patienceS: number; profile: string | undefined };

/** Measures a case. An earlier broker that fails to start also gets a row. */
async function measured(one: Case): Promise<Row> {
  try {
    return await measure(one);
  } catch (error) {
    if (one.checkout === ownCheckout) throw error;
    console.log(`${one.count} servers: ${String(error)}`);
    return { servers: one.count, checkout: 'against', database: one.database } as Row;
  }
}

async function measure({ count, checkout, database, patienceS, profile }: Case): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'souk-bench-'));
  const pinning = planPinning();
  const binaries = database === 'postgres' ? findPostgresBinaries() : undefined;
  if (database === 'postgres' && !binaries) throw new UsageError('This machine has no PostgreSQL.');
  if (pinning) pinSelf(pinning.gatewayCore);
  // a child of this process, on the core of the broker
  const cluster = binaries === undefined ? undefined : await startPostgresCluster(binaries);
  if (pinning) pinSelf(pinning.driverCore);
  const raw = new URL('./parts/raw-upstream.ts', import.meta.url);
  const upstream = await startPart<HttpReady>(
    raw,
    { host: '0.0.0.0', legacyHosts: true },
    { core: pinning?.driverCore },
  );
  const brokers: Part<ServersBrokerReady, object>[] = [];
  const ended = new AbortController();
  try {
    const input: ServersBrokerInput = {
      checkout,
      port: await freePort(),
      databaseUrl: cluster?.url,
      dataDir: join(folder, 'data'),
      catalogueDir: await writeManifests(join(folder, 'manifests'), count, new URL(upstream.ready.origin).port),
      masterKey: randomBytes(32).toString('base64url'),
      email,
    };
    const start = async (owner: string | undefined) => {
      const broker = await startServersBroker({ ...input, email: owner }, pinning?.gatewayCore, profile);
      brokers.push(broker);
      return broker;
    };
    const first = await start(email);
    const { token = '' } = first.ready;
    const firstAskedS = await untilAsked(first, patienceS);
    console.log(
      `${count} servers: first ready in ${seconds(first.ready.readyMs)} s, all contacted in ${firstAskedS} s`,
    );
    await first.stop();
    await readAsked(upstream.ready.origin, 'DELETE');

    const broker = await start(undefined);
    const using = useBroker(broker.ready.origin, token, ended.signal);
    const [askedS] = await Promise.all([untilAsked(broker, patienceS), pause(shortestUseMs)]);
    const asked = await readAsked(upstream.ready.origin);
    ended.abort();
    const meanwhile = await using;
    const rest = await atRest(broker, { token, upstream: upstream.ready.origin, servers: count });
    const beganAt = performance.now();
    await broker.stop();
    const stopS = seconds(performance.now() - beganAt);
    return {
      servers: count,
      checkout: checkout === ownCheckout ? 'this' : 'against',
      database,
      firstReadyS: seconds(first.ready.readyMs),
      readyS: seconds(broker.ready.readyMs),
      firstAskedS,
      askedS,
      asked: asked.servers,
      stopS,
      ...rest.figures,
      ...named('rest', rest.waits),
      ...named('start', meanwhile),
    };
  } finally {
    ended.abort();
    // a broker that no longer responds does not stop either
    for (const broker of brokers) broker.kill();
    await upstream.stop();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function startServersBroker(input: ServersBrokerInput, core: number | undefined, profile: string | undefined) {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`];
  return startPart<ServersBrokerReady>(new URL('./parts/servers-broker.ts', import.meta.url), input, {
    core,
    nodeOptions: [...startFlags(input.checkout), ...profiling],
    readyWithinMs: patienceMs,
    stoppedWithinMs: patienceMs,
  });
}

/** Measures the idle broker, and then the waiting times of users. */
async function atRest(
  { pid, ready: { origin } }: Part<ServersBrokerReady, object>,
  { token, upstream, servers }: { token: string; upstream: string; servers: number },
) {
  await readAsked(upstream, 'DELETE');
  const before = cpuMsOf(pid) ?? Number.NaN;
  const watchedMs = Math.max(idleMs, (1000 * servers) / checksPerSecond);
  await pause(watchedMs);
  const cpuMs = (cpuMsOf(pid) ?? Number.NaN) - before;
  const { requests } = await readAsked(upstream);
  const waits = await useBroker(origin, token, AbortSignal.timeout(idleMs));
  return {
    waits,
    figures: {
      /** Percentage of a core. */
      idleCpu: rounded((100 * cpuMs) / watchedMs),
      /** Requests per second to all servers. */
      idleRequests: rounded(requests / (watchedMs / 1000)),
      memoryMb: residentMemoryMbOf(pid),
    },
  };
}

function named<Name extends 'rest' | 'start'>(name: Name, waits: Waits) {
  return Object.fromEntries(Object.entries(waits).map(([key, value]) => [`${name} ${key}`, value])) as Record<
    `${Name} ${keyof Waits}`,
    number
  >;
}

const seconds = (ms: number) => rounded(ms / 1000);

/** Returns the seconds from when the broker answered requests; NaN beyond the patience. */
async function untilAsked({ ready }: Part<ServersBrokerReady, object>, patienceS: number): Promise<number> {
  const lastAt = performance.now() + patienceS * 1000;
  while (performance.now() < lastAt) {
    const { askedMs }: AskedTime = JSON.parse(await (await fetch(ready.askedAddress)).text());
    if (askedMs !== null) return seconds(askedMs);
    await pause(100);
  }
  return Number.NaN;
}

async function readAsked(upstream: string, method = 'GET'): Promise<AskedServers> {
  const answer = await fetch(`${upstream}/asked`, { method });
  return JSON.parse(await answer.text());
}

/**
 * Writes manifests of servers with an origin each in 127.0.0.0/8. Every second one supports only revisions with sessions. The
 * first two are called.
 */
async function writeManifests(folder: string, count: number, port: string): Promise<string> {
  await mkdir(folder);
  for (let number = 0; number < count; number++) {
    const id = ['called', 'paid'][number] ?? `server-${number}`;
    const host = `127.1.${Math.floor(number / 250)}.${(number % 250) + 1}`;
    const manifest = {
      serviceType: 'mcp',
      id,
      name: `Server ${number}`,
      version: '1.0.0',
      description: `Answers the text that it was given, as number ${number} of many.`,
      category: 'data',
      connection: { type: 'http', url: `http://${host}:${port}/mcp` },
      billing: id === 'paid' ? { tier: 'T0', toolCosts: { echo: 1 } } : { tier: 'T0' },
    };
    await writeFile(join(folder, `${id}.json`), JSON.stringify(manifest));
  }
  return folder;
}
